#include "engine/kernels/kernel_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"

namespace summand::engine {

namespace {

std::string names_of_available() {
  std::string list;
  for (const KernelSet* const set : available_kernel_sets()) {
    if (!list.empty()) list += ", ";
    list += set->name;
  }
  return list;
}

const KernelSet& choose() {
  const char* const forced = std::getenv("SUMMAND_ISA");
  if (forced == nullptr) return *available_kernel_sets().back();
  const KernelSet* const named = kernel_set_named(forced);
  if (named != nullptr && lacking(*named).empty()) return *named;
  throw UsageError("SUMMAND_ISA", fmt::format("expected one that this machine has ({}), got '{}'", names_of_available(),
                                              printable(forced)));
}

}  // namespace

std::vector<std::string_view> lacking(const KernelSet& set) {
  std::vector<std::string_view> absent;
  for (const Feature& feature : set.needs) {
    if (!feature.is_present()) absent.push_back(feature.name);
  }
  return absent;
}

std::vector<const KernelSet*> available_kernel_sets() {
  std::vector<const KernelSet*> available;
  for (const KernelSet& set : kernel_sets()) {
    if (lacking(set).empty()) available.push_back(&set);
  }
  return available;
}

const KernelSet* kernel_set_named(std::string_view name) {
  const auto found = std::ranges::find(kernel_sets(), name, &KernelSet::name);
  return found == kernel_sets().end() ? nullptr : &*found;
}

const KernelSet& chosen_kernel_set() {
  static const KernelSet& chosen = choose();
  return chosen;
}

}  // namespace summand::engine
