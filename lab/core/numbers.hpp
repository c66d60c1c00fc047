#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/statistics/interval.hpp"

namespace summand::lab {

/// The same number of something else: of a null, which violates the claim, or of a positive control, which satisfies
/// it.
struct ReferenceValue {
  double value = 0;
  std::optional<Interval> interval = {};  ///< over draws, where it was drawn several times
  LocalizedText of;                       ///< of what: "white noise, median of 20 draws"
};

/// What an experiment measured for a claim.
struct Number {
  std::string name;     ///< its key in results.json: "components_above_1_percent"
  LocalizedText label;  ///< what it is, in a few words, with its unit
  double value = 0;
  std::optional<Interval> interval = {};
  std::optional<ReferenceValue> null = {};
  std::optional<ReferenceValue> control = {};
};

/// The numbers of one claim, in the order in which they are shown.
class Numbers {
 public:
  /// @pre no number of this name is there
  void add(Number number);
  void add(std::vector<Number> numbers);
  /// @throws std::out_of_range naming the number, if there is none: a rule that asks for what was not measured
  [[nodiscard]] const Number& at(std::string_view name) const;
  [[nodiscard]] double value(std::string_view name) const { return at(name).value; }
  /// @throws std::out_of_range naming the number, if there is none or it has no null, or no control
  [[nodiscard]] double null(std::string_view name) const;
  [[nodiscard]] double control(std::string_view name) const;

  [[nodiscard]] const std::vector<Number>& all() const { return numbers_; }

 private:
  std::vector<Number> numbers_;
};

/// The number of this name, or null: for rules that do with less where a checkpoint lacks something.
[[nodiscard]] const Number* find_number(const Numbers& numbers, std::string_view name);

}  // namespace summand::lab
