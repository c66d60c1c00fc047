#pragma once

#include <string>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/core/numbers.hpp"

namespace summand::lab {

/// A value with the interval about it.
struct IntervalRow {
  LocalizedText of;
  double value = 0;
  Interval interval;
};

struct IntervalFigure {
  std::string name;
  LocalizedText title;
  LocalizedText caption;
  LocalizedText axis;
  std::vector<double> rules = {};  ///< dashed lines at these values
};

/// A point and a bar for every row, its name above it.
[[nodiscard]] Figure interval_figure(const IntervalFigure& of, const std::vector<IntervalRow>& rows);

}  // namespace summand::lab
