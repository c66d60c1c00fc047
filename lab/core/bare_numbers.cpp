#include "lab/core/bare_numbers.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "lab/statistics/moments.hpp"
#include "summand/assert.hpp"

namespace summand::lab {

namespace {

ReferenceValue reference_value(const Reading& reading, const LocalizedText& of) {
  return {.value = reading.value, .interval = reading.interval, .of = of};
}

}  // namespace

Readings median_readings(const Draws& draws, const std::function<Readings(RandomStream&)>& of) {
  SUMMAND_ASSERT(draws.count > 0);
  Readings readings;
  std::vector<std::vector<double>> values;  // [readings][draws]
  for (size_t draw = 0; draw < draws.count; ++draw) {
    RandomStream stream(draws.seed, fmt::format("{} {}", draws.name, draw));
    readings = of(stream);
    values.resize(readings.size());
    for (size_t i = 0; i < readings.size(); ++i) values[i].push_back(readings[i].value);
  }
  for (size_t i = 0; i < readings.size(); ++i) {
    readings[i].value = median(values[i]);
    readings[i].interval = middle_95_percent(values[i]);
  }
  return readings;
}

std::vector<Number> with_references(const Readings& own, const ReferenceReadings& null,
                                    const ReferenceReadings& control) {
  SUMMAND_ASSERT(own.size() == null.readings.size() && own.size() == control.readings.size());
  std::vector<Number> numbers;
  for (size_t i = 0; i < own.size(); ++i) {
    SUMMAND_ASSERT(own[i].name == null.readings[i].name && own[i].name == control.readings[i].name);
    numbers.push_back({.name = own[i].name,
                       .label = own[i].label,
                       .value = own[i].value,
                       .interval = own[i].interval,
                       .null = reference_value(null.readings[i], null.of),
                       .control = reference_value(control.readings[i], control.of)});
  }
  return numbers;
}

}  // namespace summand::lab
