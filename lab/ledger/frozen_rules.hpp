#pragma once

#include <span>
#include <string_view>

namespace summand::lab {

/// A rule as it was when the rules were frozen.
struct FrozenRule {
  std::string_view claim;
  std::string_view hash;  ///< what rule_hash() made of it then
};

/// The rules of the ledger as they stood at the tag kFrozenTag; docs/rules.md says which were changed after which
/// number, before it and since.
[[nodiscard]] std::span<const FrozenRule> frozen_rules();

inline constexpr std::string_view kFrozenTag = "rules-3";

}  // namespace summand::lab
