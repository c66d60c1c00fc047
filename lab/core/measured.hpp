#pragma once

#include <string>
#include <utility>

#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"

namespace summand::lab {

/// Puts a number together: Measured(kKurtosis, 3.1).null(1.8, of).control(3.0, of).
class Measured {
 public:
  Measured(std::string name, Words label, double value)
      : number_{.name = std::move(name), .label = std::move(label), .value = value} {}
  /// @param fills  for the label's places
  Measured(const NumberName& name, double value, const Fills& fills = {})
      : Measured(std::string(name), name.label(fills), value) {}
  /// One of a family.
  Measured(const NumberName& family, std::string_view member, double value, const Fills& fills)
      : Measured(family.of(member), family.label(fills), value) {}

  Measured& interval(Interval middle) {
    number_.interval = middle;
    return *this;
  }
  Measured& null(double value, Words of, std::optional<Interval> draws = {}) {
    number_.null = Beside{.value = value, .interval = draws, .of = std::move(of)};
    return *this;
  }
  Measured& control(double value, Words of, std::optional<Interval> draws = {}) {
    number_.control = Beside{.value = value, .interval = draws, .of = std::move(of)};
    return *this;
  }

  operator Number() const { return number_; }  // NOLINT: implicit, for Numbers::add

 private:
  Number number_;
};

}  // namespace summand::lab
