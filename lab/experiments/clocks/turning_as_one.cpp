#include "lab/experiments/clocks/turning_as_one.hpp"

#include <vector>

#include "lab/experiments/clocks/clock_settings.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/pair_distances.hpp"

namespace summand::lab::clocks {

namespace {

using Eigen::Index;

constexpr double kRounding = 1e-18;  // of squares: what is left of rows on a line

/// Less the least-squares line along the positions, column by column.
void take_line_away(PlacedRows& placed) {
  Vector at(placed.rows.rows());
  for (Index i = 0; i < at.size(); ++i) at(i) = static_cast<double>(placed.at[static_cast<size_t>(i)]);
  at.array() -= at.mean();
  placed.rows = centred(placed.rows);
  placed.rows -= at * (at.transpose() * placed.rows / at.squaredNorm());
}

}  // namespace

PlacedRows steps_off_their_line(const PlacedRows& rows) {
  PlacedRows steps{.rows = Table(rows.rows.rows(), rows.rows.cols()), .at = {}};
  for (size_t from = 0, to = 0; from < rows.at.size(); ++from) {
    const size_t target = rows.at[from] + kStepsCompared;
    while (to < rows.at.size() && rows.at[to] < target) ++to;
    if (to == rows.at.size()) break;
    if (rows.at[to] != target) continue;
    steps.rows.row(static_cast<Index>(steps.at.size())) =
        rows.rows.row(static_cast<Index>(to)) - rows.rows.row(static_cast<Index>(from));
    steps.at.push_back(rows.at[from]);
  }
  steps.rows.conservativeResize(static_cast<Index>(steps.at.size()), Eigen::NoChange);
  take_line_away(steps);
  return steps;
}

KernelComparisons turning_as_one(const PlacedRows& rows, const std::string& name, const Conditions& conditions) {
  const auto steps = steps_off_their_line(rows);
  const bool is_line = steps.rows.squaredNorm() <= kRounding * centred(rows.rows).squaredNorm();
  if (is_line) return {.own = {0}, .gaussian = {{0}}, .joint_phases = {{}}};
  return compared_with_kernel(
      steps, name, {.gaussian = size_of(conditions).kernels, .joint_phases = 0}, conditions,
      [](const PlacedRows& one) { return std::vector<double>{share_by_distance(squared_distances(one))}; });
}

bool turns_as_one(double share, const Interval& of_kernel) {
  return 1 - share <= kOneMotion * (1 - of_kernel.high);
}

}  // namespace summand::lab::clocks
