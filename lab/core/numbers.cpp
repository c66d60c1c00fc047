#include "lab/core/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/assert.hpp"

namespace summand::lab {

void Numbers::add(Number number) {
  SUMMAND_ASSERT(std::ranges::find(numbers_, number.name, &Number::name) == numbers_.end());
  numbers_.push_back(std::move(number));
}

void Numbers::add(std::vector<Number> numbers) {
  for (Number& number : numbers) add(std::move(number));
}

const Number& Numbers::at(std::string_view name) const {
  const auto found = std::ranges::find(numbers_, name, &Number::name);
  if (found == numbers_.end()) throw std::out_of_range(fmt::format("no number '{}' was measured", name));
  return *found;
}

double Numbers::null(std::string_view name) const {
  const auto& number = at(name);
  if (!number.null) throw std::out_of_range(fmt::format("number '{}' has no null", name));
  return number.null->value;
}

double Numbers::control(std::string_view name) const {
  const auto& number = at(name);
  if (!number.control) throw std::out_of_range(fmt::format("number '{}' has no positive control", name));
  return number.control->value;
}

const Number* find_number(const Numbers& numbers, std::string_view name) {
  const auto at = std::ranges::find(numbers.all(), name, &Number::name);
  return at == numbers.all().end() ? nullptr : &*at;
}

}  // namespace summand::lab
