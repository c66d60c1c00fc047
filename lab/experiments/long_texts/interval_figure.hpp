#pragma once

#include <string>
#include <vector>

#include "lab/figure.hpp"
#include "lab/numbers.hpp"
#include "lab/words.hpp"

namespace summand::lab {

/// A value with the interval about it.
struct IntervalRow {
  Words of;
  double value = 0;
  Interval interval;
};

struct IntervalFigure {
  std::string name;
  Words title;
  Words caption;
  Words axis;
  std::vector<double> rules = {};  ///< dashed lines at these values
};

/// A point and a bar for every row, its name above it.
[[nodiscard]] Figure interval_figure(const IntervalFigure& of, const std::vector<IntervalRow>& rows);

}  // namespace summand::lab
