#pragma once

#include <span>
#include <string_view>

namespace summand::lab {

/// A claim's rule, known by its hash.
struct FrozenRule {
  std::string_view claim;
  std::string_view hash;  ///< rule_hash() of it
};

/// The rules of the ledger as they stood at the tag kFrozenTag; docs/rules.md says which were changed after which
/// number, before it and since.
[[nodiscard]] std::span<const FrozenRule> frozen_rules();

/// Frozen rules that are worded anew and measure, ask and decide what they did: their hashes under today's words.
[[nodiscard]] std::span<const FrozenRule> reworded_rules();

inline constexpr std::string_view kFrozenTag = "rules-3";

}  // namespace summand::lab
