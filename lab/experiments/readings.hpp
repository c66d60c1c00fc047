#pragma once

#include <string>
#include <vector>

#include "lab/numbers.hpp"
#include "lab/words.hpp"

namespace summand::lab {

/// One value that is measured alike on a subject, on its null and on its control.
struct Reading {
  std::string name;  ///< of the number that it becomes
  Words label;
  double value = 0;
};

/// What one function measures, always in the same order.
using Readings = std::vector<Reading>;

/// The readings of a null or of a control.
struct ReadingsBeside {
  Words of;  ///< of what: "all position rows equal"
  Readings readings;
};

/// Every own reading as a number, with those of the same place in null and control beside it.
/// @pre all three come from the same function
[[nodiscard]] std::vector<Number> numbers_beside(const Readings& own, const ReadingsBeside& null,
                                                 const ReadingsBeside& control);

}  // namespace summand::lab
