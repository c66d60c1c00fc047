#include "api/heads/require_head.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace summand::api {

namespace {

std::string other_tensors(const std::vector<std::string>& tensors) {
  constexpr size_t kMostShown = 8;
  if (tensors.empty()) return "";
  const size_t shown = std::min(tensors.size(), kMostShown);
  return fmt::format("; its file also holds {}{}",
                     fmt::join(tensors.begin(), tensors.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     shown < tensors.size() ? fmt::format(" and {} more tensors", tensors.size() - shown) : "");
}

}  // namespace

void require_head(const LoadedModel& model, model::Head head) {
  const auto& parts = model.checkpoint().parts;
  if (parts.has(head)) return;
  const auto* absent = parts.find_absent(head);
  if (absent != nullptr && absent->cause == model::AbsentHead::Cause::setting) {
    throw ConfigError(absent->where, absent->reason);
  }
  std::string present;
  for (const auto one : parts.heads) present += (present.empty() ? "" : ", ") + std::string(model::name_of(one));
  throw ConfigError("heads", fmt::format("this model has no {} head; it has: {}{}", model::name_of(head),
                                         present.empty() ? "none" : present,
                                         absent != nullptr ? fmt::format("; {}: {}", absent->where, absent->reason)
                                                           : other_tensors(parts.other_tensors)));
}

}  // namespace summand::api
