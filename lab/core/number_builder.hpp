#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <utility>

#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"

namespace summand::lab {

/// What has a value and an interval: an Estimate, a BareNumber.
template <class T>
concept HasInterval = requires(const T& one) {
  { one.value } -> std::convertible_to<double>;
  { one.interval } -> std::convertible_to<std::optional<Interval>>;
};

/// A value, with its interval where it has one.
struct Quantity {
  Quantity(double number) : value(number) {}  // NOLINT: implicit, as the next
  template <HasInterval T>
  Quantity(const T& estimate) : value(estimate.value), interval(estimate.interval) {}

  double value = 0;
  std::optional<Interval> interval = {};
};

/// Puts a number together: NumberBuilder(kKurtosis, 3.1).null(1.8, of).control(3.0, of).
class NumberBuilder {
 public:
  NumberBuilder(std::string name, LocalizedText label, const Quantity& own)
      : number_{.name = std::move(name), .label = std::move(label), .value = own.value, .interval = own.interval} {}
  /// @param args  for the label's places
  NumberBuilder(const NumberName& name, const Quantity& own, const FormatArgs& args = {})
      : NumberBuilder(std::string(name), name.label(args), own) {}
  /// One of a family.
  NumberBuilder(const NumberName& family, std::string_view member, const Quantity& own, const FormatArgs& args)
      : NumberBuilder(family.of(member), family.label(args), own) {}

  NumberBuilder& interval(Interval middle) {
    number_.interval = middle;
    return *this;
  }
  NumberBuilder& null(const Quantity& reference, LocalizedText of) {
    number_.null = ReferenceValue{.value = reference.value, .interval = reference.interval, .of = std::move(of)};
    return *this;
  }
  NumberBuilder& null(double value, LocalizedText of, std::optional<Interval> draws) {
    number_.null = ReferenceValue{.value = value, .interval = draws, .of = std::move(of)};
    return *this;
  }
  NumberBuilder& control(const Quantity& reference, LocalizedText of) {
    number_.control = ReferenceValue{.value = reference.value, .interval = reference.interval, .of = std::move(of)};
    return *this;
  }
  NumberBuilder& control(double value, LocalizedText of, std::optional<Interval> draws) {
    number_.control = ReferenceValue{.value = value, .interval = draws, .of = std::move(of)};
    return *this;
  }

  operator Number() const { return number_; }  // NOLINT: implicit, for Numbers::add

 private:
  Number number_;
};

}  // namespace summand::lab
