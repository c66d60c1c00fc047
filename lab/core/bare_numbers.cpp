#include "lab/core/bare_numbers.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "lab/statistics/moments.hpp"
#include "summand/assert.hpp"

namespace summand::lab {

namespace {

ReferenceValue reference_value(const BareNumber& one, const LocalizedText& of) {
  return {.value = one.value, .interval = one.interval, .of = of};
}

}  // namespace

BareNumbers median_numbers(const Draws& draws, const std::function<BareNumbers(RandomStream&)>& of) {
  SUMMAND_ASSERT(draws.count > 0);
  BareNumbers bare;
  std::vector<std::vector<double>> values;  // [numbers][draws]
  for (size_t draw = 0; draw < draws.count; ++draw) {
    RandomStream stream(draws.seed, fmt::format("{} {}", draws.name, draw));
    bare = of(stream);
    values.resize(bare.size());
    for (size_t i = 0; i < bare.size(); ++i) values[i].push_back(bare[i].value);
  }
  for (size_t i = 0; i < bare.size(); ++i) {
    bare[i].value = median(values[i]);
    bare[i].interval = middle_95_percent(values[i]);
  }
  return bare;
}

std::vector<Number> with_references(const BareNumbers& own, const ReferenceNumbers& null,
                                    const ReferenceNumbers& control) {
  SUMMAND_ASSERT(own.size() == null.numbers.size() && own.size() == control.numbers.size());
  std::vector<Number> numbers;
  for (size_t i = 0; i < own.size(); ++i) {
    SUMMAND_ASSERT(own[i].name == null.numbers[i].name && own[i].name == control.numbers[i].name);
    numbers.push_back({.name = own[i].name,
                       .label = own[i].label,
                       .value = own[i].value,
                       .interval = own[i].interval,
                       .null = reference_value(null.numbers[i], null.of),
                       .control = reference_value(control.numbers[i], control.of)});
  }
  return numbers;
}

}  // namespace summand::lab
