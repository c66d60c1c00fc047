#include "lab/experiments/readings.hpp"

#include <cstddef>

#include "summand/assert.hpp"

namespace summand::lab {

std::vector<Number> numbers_beside(const Readings& own, const ReadingsBeside& null, const ReadingsBeside& control) {
  SUMMAND_ASSERT(own.size() == null.readings.size() && own.size() == control.readings.size());
  std::vector<Number> numbers;
  for (size_t i = 0; i < own.size(); ++i) {
    SUMMAND_ASSERT(own[i].name == null.readings[i].name && own[i].name == control.readings[i].name);
    numbers.push_back({.name = own[i].name,
                       .label = own[i].label,
                       .value = own[i].value,
                       .null = Beside{.value = null.readings[i].value, .of = null.of},
                       .control = Beside{.value = control.readings[i].value, .of = control.of}});
  }
  return numbers;
}

}  // namespace summand::lab
