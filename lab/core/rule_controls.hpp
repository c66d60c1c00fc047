#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "lab/core/numbers.hpp"
#include "lab/core/verdict.hpp"

namespace summand::lab {

/// The rule's observation of the checkpoint, or cannot_be_told if its controls fail.
[[nodiscard]] inline Observation observation_if(bool controls_pass, Observation of_checkpoint) {
  return controls_pass ? of_checkpoint : Observation::cannot_be_told;
}

/// One value each for the checkpoint, its null and its positive control: a measurement, or the inputs of a rule.
/// Experiments call the latter RuleInputs, and the rule evaluate().
template <class T>
struct Controlled {
  T own;
  T null;
  T control;

  /// Whether the rule finds the effect in the control and not in the null; only then does it count for the checkpoint.
  /// @param of_null  the observation required of the null; by default anything but `holds`
  template <class Rule>
  [[nodiscard]] bool controls_pass(const Rule& evaluate, std::optional<Observation> of_null = {}) const {
    if (evaluate(control) != Observation::holds) return false;
    return of_null ? evaluate(null) == *of_null : evaluate(null) != Observation::holds;
  }
  /// The rule's observation of the checkpoint, or cannot_be_told if the controls fail.
  template <class Rule>
  [[nodiscard]] Observation judged_by(const Rule& evaluate, std::optional<Observation> of_null = {}) const {
    return observation_if(controls_pass(evaluate, of_null), evaluate(own));
  }
};

/// Reads the numbers of a claim for a rule: of the checkpoint, of the nulls or of the positive controls.
class NumberReader {
 public:
  enum class Side { own, null, control };
  NumberReader(const Numbers& numbers, Side side) : numbers_(numbers), side_(side) {}

  /// @throws std::out_of_range naming the number, if there is none
  [[nodiscard]] double value(std::string_view name) const;
  /// Its interval; of one that has none the value alone.
  [[nodiscard]] Interval interval(std::string_view name) const;

 private:
  const Numbers& numbers_;
  Side side_;
};

/// @param read  from NumberReader to a rule's inputs
template <class Read>
[[nodiscard]] auto controlled(const Numbers& numbers, const Read& read) {
  using Side = NumberReader::Side;
  return Controlled<decltype(read(NumberReader(numbers, Side::own)))>{read(NumberReader(numbers, Side::own)),
                                                                      read(NumberReader(numbers, Side::null)),
                                                                      read(NumberReader(numbers, Side::control))};
}

/// The intervals of one number, for a rule that reads nothing else.
[[nodiscard]] Controlled<Interval> controlled_interval(const Numbers& numbers, std::string_view name);

}  // namespace summand::lab
