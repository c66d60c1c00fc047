#include "lab/results/rule_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.hpp"
#include "lab/ledger/frozen_rules.hpp"

namespace summand::lab {

std::string rule_hash(const Rule& rule) {
  Hash hash;
  hash.add(rule.claim);
  hash.add(rule.observation.en);
  hash.add(rule.inference.en);
  hash.add(rule.conclusion.en);
  hash.add(words_of(rule.decision.kind).en);
  hash.add(rule.decision.claim);
  hash.add_number(rule.decision.true_if_fails ? 1 : 0);
  if (rule.revision > 0) hash.add_number(rule.revision);
  return fmt::format("{:016x}", hash.value());
}

LocalizedText rule_state(const Rule& rule) {
  const std::string hash = rule_hash(rule);
  const auto is_this = [&](const FrozenRule& one) { return one.claim == rule.claim && one.hash == hash; };
  if (std::ranges::any_of(frozen_rules(), is_this)) {
    return {fmt::format("frozen in {}", kFrozenTag), fmt::format("冻结于 {}", kFrozenTag)};
  }
  if (std::ranges::any_of(reworded_rules(), is_this)) {
    return {fmt::format("frozen in {}, reworded since", kFrozenTag),
            fmt::format("冻结于 {}，之后只改了措辞", kFrozenTag)};
  }
  if (std::ranges::find(frozen_rules(), rule.claim, &FrozenRule::claim) != frozen_rules().end()) {
    return {fmt::format("changed since {}", kFrozenTag), fmt::format("{} 之后有改动", kFrozenTag)};
  }
  return {fmt::format("newer than {}", kFrozenTag), fmt::format("晚于 {}", kFrozenTag)};
}

}  // namespace summand::lab
