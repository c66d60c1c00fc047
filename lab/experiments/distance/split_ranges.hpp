#pragma once

#include <vector>

#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/statistics/estimate.hpp"
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

/// [splits]
using SplitScores = Controlled<std::vector<Scores>>;

inline Estimate ranged(const std::vector<Scores>& scores, double Scores::*measure) {
  return {.value = middle_of(scores, measure), .interval = range_of(values_of(scores, measure))};
}

/// For null and control: of one split, no range.
inline auto range_over(double Scores::*measure) {
  return [measure](const std::vector<Scores>& scores) {
    return scores.size() < 2 ? Quantity(middle_of(scores, measure)) : Quantity(ranged(scores, measure));
  };
}

}  // namespace summand::lab::distance
