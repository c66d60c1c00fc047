#include "engine/kernels/set_precisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace summand::engine {

namespace {

std::string sets_with(Precision precision) {
  std::string names;
  for (const KernelSet& set : kernel_sets()) {
    if (!runs(precision, set)) continue;
    if (!names.empty()) names += ", ";
    names += set.name;
  }
  return names.empty() ? "none of this build" : names;
}

}  // namespace

bool runs(Precision precision, const KernelSet& set) {
  switch (precision) {
    case Precision::fp32:
      return true;
    case Precision::bf16:
      return set.bf16 != nullptr;
    case Precision::fp16:
      return set.fp16 != nullptr;
    case Precision::int8:
      return set.int8 != nullptr;
  }
  __builtin_unreachable();
}

const HalfKernels* half_kernels(Precision precision, const KernelSet& set) {
  if (precision == Precision::fp16) return set.fp16;
  return precision == Precision::bf16 ? set.bf16 : nullptr;
}

const Preference& preference(const KernelSet& set) {
  static constexpr Preference kNone{.reason = "this set computes in nothing else, or it was not measured"};
  const auto fits = [](const Preference& row) { return row.is_kind == nullptr || row.is_kind(); };
  const auto found = std::ranges::find_if(set.preferences, fits);
  return found == set.preferences.end() ? kNone : *found;
}

Precision attention_precision(Precision precision, const KernelSet& set) {
  return precision == Precision::int8 ? preference(set).int8_attention : precision;
}

void check_runs(Precision precision, const KernelSet& set) {
  if (runs(precision, set)) return;
  throw UsageError("precision", fmt::format("{}: expected kernels with products of it ({}), this run has {}; fp32 runs "
                                            "everywhere",
                                            model::name_of(precision), sets_with(precision), set.name));
}

}  // namespace summand::engine
