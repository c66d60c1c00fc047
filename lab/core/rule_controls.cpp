#include "lab/core/rule_controls.hpp"

namespace summand::lab {

namespace {

template <class T>
Interval interval_or_value(const T& one) {
  return one.interval.value_or(Interval{.low = one.value, .high = one.value});
}

}  // namespace

double NumberReader::value(std::string_view name) const {
  switch (side_) {
    case Side::own:
      return numbers_.value(name);
    case Side::null:
      return numbers_.null(name);
    case Side::control:
      return numbers_.control(name);
  }
  __builtin_unreachable();
}

Interval NumberReader::interval(std::string_view name) const {
  const Number& number = numbers_.at(name);
  switch (side_) {
    case Side::own:
      return interval_or_value(number);
    case Side::null:
      return interval_or_value(number.null.value());
    case Side::control:
      return interval_or_value(number.control.value());
  }
  __builtin_unreachable();
}

Controlled<Interval> controlled_interval(const Numbers& numbers, std::string_view name) {
  return controlled(numbers, [name](const NumberReader& of) { return of.interval(name); });
}

}  // namespace summand::lab
