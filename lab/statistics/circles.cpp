#include "lab/statistics/circles.hpp"

#include <algorithm>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/step_motion.hpp"

namespace summand::lab {

namespace {

struct Halves {
  PlacedRows first;
  PlacedRows second;

  /// As many positions in each, one more in the second where their number is odd.
  explicit Halves(const PlacedRows& rows) {
    const size_t middle = rows.at.front() + rows.span() / 2;
    first = rows_between(rows, rows.at.front(), middle);
    second = rows_between(rows, middle, rows.at.back() + 1);
  }
};

/// Three rows or more, which differ, and two neighbours among them.
bool can_move(const PlacedRows& rows) {
  return rows.at.size() >= 3 && steps_of(rows).size() >= 2 && centred(rows.rows).squaredNorm() > 0;
}

double times_apart(double one, double other) {
  return std::max(one / other, other / one);
}

/// Of the energy of `judged` about the mean of all rows, in planes that the motion of `fitted` has and that are circles
/// in both.
double held_out_share(const PlacedRows& fitted, const PlacedRows& judged, const Eigen::RowVectorXd& mean) {
  const StepMotion motion(fitted);
  std::vector<Table> axes;
  for (size_t i = 0; i < motion.planes(); ++i) {
    auto there = motion.plane(i, judged);
    if (!circle_fault(motion.plane(i, fitted), there)) axes.push_back(std::move(there.axes));
  }
  return energy_in_span(axes, judged.rows) / (judged.rows.rowwise() - mean).squaredNorm();
}

}  // namespace

std::optional<CircleFault> circle_fault(const TurningPlane& half, const TurningPlane& other_half) {
  using namespace circle_rule;
  for (const TurningPlane* one : {&half, &other_half}) {
    // So put that a map without a whole set of eigenvectors, which leaves no numbers, has no circle.
    if (!(one->turns >= kLeastTurns)) return CircleFault::few_turns;
    if (!(one->radius_variation <= kMostVariation)) return CircleFault::radius_varies;
    if (!(one->coherence >= kLeastCoherence)) return CircleFault::phase_strays;
  }
  if (!(times_apart(half.pace, other_half.pace) <= kMostPaceChange)) return CircleFault::pace_changes;
  if (!(times_apart(half.radius, other_half.radius) <= kMostRadiusChange)) return CircleFault::radius_changes;
  return {};
}

std::vector<FoundPlane> planes_of(const PlacedRows& rows, double least_share) {
  const StepMotion motion(rows);
  const Halves halves(rows);
  std::vector<FoundPlane> found;
  for (size_t i = 0; i < motion.planes(); ++i) {
    const auto fault = circle_fault(motion.plane(i, halves.first), motion.plane(i, halves.second));
    auto plane = motion.plane(i, rows);
    if (!fault || plane.share >= least_share) found.push_back({.plane = std::move(plane), .fault = fault});
  }
  return found;
}

Circles circles_of(const PlacedRows& rows) {
  if (rows.at.empty()) return {};
  const Halves halves(rows);
  if (!can_move(halves.first) || !can_move(halves.second)) return {};
  const Eigen::RowVectorXd mean = rows.rows.colwise().mean();
  Circles circles{.held_out = {held_out_share(halves.second, halves.first, mean),
                               held_out_share(halves.first, halves.second, mean)}};
  if (circles.share() < circle_rule::kLittle) return circles;
  std::vector<Table> axes;
  for (auto& [plane, fault] : planes_of(rows, 1)) {
    if (fault) continue;
    axes.push_back(plane.axes);
    circles.circles.push_back(std::move(plane));
  }
  circles.fitted_share = energy_in_span(axes, rows.rows) / centred(rows.rows).squaredNorm();
  return circles;
}

}  // namespace summand::lab
