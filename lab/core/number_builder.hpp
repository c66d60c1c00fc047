#pragma once

#include <string>
#include <utility>

#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"

namespace summand::lab {

/// Puts a number together: NumberBuilder(kKurtosis, 3.1).null(1.8, of).control(3.0, of).
class NumberBuilder {
 public:
  NumberBuilder(std::string name, LocalizedText label, double value)
      : number_{.name = std::move(name), .label = std::move(label), .value = value} {}
  /// @param args  for the label's places
  NumberBuilder(const NumberName& name, double value, const FormatArgs& args = {})
      : NumberBuilder(std::string(name), name.label(args), value) {}
  /// One of a family.
  NumberBuilder(const NumberName& family, std::string_view member, double value, const FormatArgs& args)
      : NumberBuilder(family.of(member), family.label(args), value) {}

  NumberBuilder& interval(Interval middle) {
    number_.interval = middle;
    return *this;
  }
  NumberBuilder& null(double value, LocalizedText of, std::optional<Interval> draws = {}) {
    number_.null = ReferenceValue{.value = value, .interval = draws, .of = std::move(of)};
    return *this;
  }
  NumberBuilder& control(double value, LocalizedText of, std::optional<Interval> draws = {}) {
    number_.control = ReferenceValue{.value = value, .interval = draws, .of = std::move(of)};
    return *this;
  }

  operator Number() const { return number_; }  // NOLINT: implicit, for Numbers::add

 private:
  Number number_;
};

}  // namespace summand::lab
