#include "lab/experiments/distance/distance_networks.hpp"

#include <algorithm>
#include <vector>

#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/distance/split_ranges.hpp"
#include "lab/nulls/named_tables.hpp"

namespace summand::lab {

namespace distance {
namespace {

// R² on new positions. From planted tables: circles and smooth noise have 0.95 and more, white noise less than 0.05.
constexpr double kLearned = 0.5;
constexpr double kNotLearned = 0.2;

constexpr NumberName kNetworkR2{"distance", "network_r2"};
constexpr NumberName kNetworkError{"distance", "network_mse"};
constexpr NumberName kUnscaledR2{"distance", "unscaled_network_r2"};
constexpr NumberName kLinearR2{"distance", "linear_r2"};

/// @param r2  on every split
Observation evaluate_network(const Interval& r2) {
  if (r2.high < kNotLearned) return Observation::holds;
  return r2.low >= kLearned ? Observation::fails : Observation::cannot_be_told;
}

Verdict judge_network(const Numbers& numbers) {
  const Number& own = numbers.at(kNetworkR2);
  const Number& unscaled = numbers.at(kUnscaledR2);
  Verdict verdict;
  verdict.observation = controlled_interval(numbers, kNetworkR2).judged_by(evaluate_network);
  const bool other_fails = evaluate_network(*unscaled.interval) == Observation::holds;
  if (verdict.observation == Observation::fails && other_fails) verdict.inference = Inference::follows;
  if (verdict.observation == Observation::holds) verdict.inference = Inference::does_not_follow;
  verdict.reason = localize("distance.reasons.network", {{"own", own.value},
                                                         {"low", own.interval->low},
                                                         {"high", own.interval->high},
                                                         {"unscaled", unscaled.value},
                                                         {"unscaled_low", unscaled.interval->low},
                                                         {"unscaled_high", unscaled.interval->high},
                                                         {"noise", own.control->value}});
  return verdict;
}

}  // namespace
}  // namespace distance

Numbers distance_network_numbers(const Grid& grid, const Conditions& conditions) {
  using namespace distance;
  const size_t splits = splits_of(conditions).networks;
  Numbers numbers;
  const auto add = [&](const NumberName& name, PairMethod method, double Scores::*measure) {
    const auto of = [&](const char* table) {
      return over_splits(grid, {table, Inputs::components, method, kNetworkSplit}, splits);
    };
    const SplitScores scores{of("table"), of("sinusoid"), of("white_noise")};
    const NumberAdder with_ranges(numbers, scores, words_of_sinusoid(), words_of(Surrogate::white_noise));
    with_ranges(NumberBuilder(name, ranged(scores.own, measure), {{"splits", splits}}), range_over(measure));
  };
  add(kNetworkR2, PairMethod::network, &Scores::r2);
  add(kNetworkError, PairMethod::network, &Scores::mse);
  add(kUnscaledR2, PairMethod::unscaled_network, &Scores::r2);
  const auto linear = [&](const char* table) {
    return grid.at({table, Inputs::components, PairMethod::linear, kNetworkSplit}).r2;
  };
  numbers.add(NumberBuilder(kLinearR2, linear("table"))
                  .null(linear("sinusoid"), words_of_sinusoid())
                  .control(linear("white_noise"), words_of(Surrogate::white_noise)));
  return numbers;
}

Rule distance_network_rule() {
  using namespace distance;
  // Its conclusion stays open: that one network learns does not tell what kept the document's own from it.
  return described_rule("distance", "E8", judge_network, {{"learned", kLearned}, {"not_learned", kNotLearned}});
}

}  // namespace summand::lab
