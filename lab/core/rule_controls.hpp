#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "lab/core/numbers.hpp"
#include "lab/core/verdict.hpp"

namespace summand::lab {

/// What a rule says of the checkpoint; it tells nothing where its controls do not pass.
[[nodiscard]] inline Observation told_if(bool controls_pass, Observation of_checkpoint) {
  return controls_pass ? of_checkpoint : Observation::cannot_be_told;
}

/// The same of the checkpoint, of its null and of its positive control: what was measured of each, or what a rule
/// reads. Experiments call the latter RuleInputs, and the rule evaluate().
template <class T>
struct Controlled {
  T own;
  T null;
  T control;

  /// Only if the rule finds the effect in the control, and not in the null, does it tell anything of the checkpoint.
  /// @param of_null  what the rule has to say of the null, where that is more than that it does not hold
  template <class Rule>
  [[nodiscard]] bool controls_pass(const Rule& evaluate, std::optional<Observation> of_null = {}) const {
    if (evaluate(control) != Observation::holds) return false;
    return of_null ? evaluate(null) == *of_null : evaluate(null) != Observation::holds;
  }
  /// What the rule says of the checkpoint; it cannot be told where the controls do not pass.
  template <class Rule>
  [[nodiscard]] Observation judged_by(const Rule& evaluate, std::optional<Observation> of_null = {}) const {
    return told_if(controls_pass(evaluate, of_null), evaluate(own));
  }
};

/// The numbers of a claim as a rule reads them: of the checkpoint, of the nulls or of the positive controls.
class NumbersOf {
 public:
  enum class Side { own, null, control };
  NumbersOf(const Numbers& numbers, Side side) : numbers_(numbers), side_(side) {}

  /// @throws std::out_of_range naming the number, if there is none
  [[nodiscard]] double value(std::string_view name) const;
  /// Its interval; of one that has none the value alone.
  [[nodiscard]] Interval interval(std::string_view name) const;

 private:
  const Numbers& numbers_;
  Side side_;
};

/// @param read  from NumbersOf to a rule's inputs
template <class Read>
[[nodiscard]] auto controlled(const Numbers& numbers, const Read& read) {
  using Side = NumbersOf::Side;
  return Controlled<decltype(read(NumbersOf(numbers, Side::own)))>{read(NumbersOf(numbers, Side::own)),
                                                                   read(NumbersOf(numbers, Side::null)),
                                                                   read(NumbersOf(numbers, Side::control))};
}

/// The intervals of one number, for a rule that reads nothing else.
[[nodiscard]] Controlled<Interval> controlled_interval(const Numbers& numbers, std::string_view name);

}  // namespace summand::lab
