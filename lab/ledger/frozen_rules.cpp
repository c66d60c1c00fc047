#include "lab/ledger/frozen_rules.hpp"

#include <array>

namespace summand::lab {

namespace {

// What `summand lab list --json` said of the rules when they were frozen.
constexpr std::array<FrozenRule, 0> kFrozen{};

}  // namespace

std::span<const FrozenRule> frozen_rules() {
  return kFrozen;
}

}  // namespace summand::lab
