#pragma once

#include <optional>
#include <vector>

#include "lab/core/number_builder.hpp"
#include "lab/statistics/interval.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/range.hpp"
#include "lab/statistics/scores.hpp"

namespace summand::lab::distance {

// What is fitted on a few random splits: their median, and the range of all of them, which are too few for a quantile.

inline std::vector<double> values_of(const std::vector<Scores>& scores, double Scores::*measure) {
  std::vector<double> values;
  for (const auto& one : scores) values.push_back(one.*measure);
  return values;
}

inline double middle_of(const std::vector<Scores>& scores, double Scores::*measure) {
  return median(values_of(scores, measure));
}

/// The same of a table, of its null and of its control.
struct SplitSides {
  std::vector<Scores> own;
  std::vector<Scores> null;
  std::vector<Scores> control;
  LocalizedText of_null;
  LocalizedText of_control;
};

/// Nothing of one split: a single value is no range.
inline std::optional<Interval> range_over(const std::vector<Scores>& scores, double Scores::*measure) {
  if (scores.size() < 2) return {};
  return range_of(values_of(scores, measure));
}

/// Puts all three ranges, null and control beside a number.
inline NumberBuilder with_ranges(NumberBuilder number, double Scores::*measure, const SplitSides& sides) {
  return number.interval(range_of(values_of(sides.own, measure)))
      .null(middle_of(sides.null, measure), sides.of_null, range_over(sides.null, measure))
      .control(middle_of(sides.control, measure), sides.of_control, range_over(sides.control, measure));
}

}  // namespace summand::lab::distance
