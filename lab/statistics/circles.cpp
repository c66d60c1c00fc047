#include "lab/statistics/circles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/spectral_lines.hpp"

namespace summand::lab {

namespace {

/// The frequencies about a plane's own, in turns.
struct Neighbourhood {
  double low = 0;
  double high = 0;
};

Neighbourhood about(double turns) {
  using circle_rule::kNeighbourhood;
  return {.low = std::min(turns / kNeighbourhood, turns - 1), .high = std::max(turns * kNeighbourhood, turns + 1)};
}

/// What a table's planes are judged beside: everything in its first components.
struct Spectra {
  ColumnTransform columns;
  EnergySpectrum all;
};

Spectra spectra_of(const StepRotation& step, const PlacedRows& rows) {
  ColumnTransform columns({.rows = step.scores(), .at = rows.at});
  const auto components = static_cast<Eigen::Index>(step.components());
  EnergySpectrum all = columns.along(Table::Identity(components, components));
  return {.columns = std::move(columns), .all = std::move(all)};
}

/// Rows first … end − 1.
struct Stretch {
  size_t begin = 0;
  size_t end = 0;
};

/// So many equal stretches of positions, without those of two rows or fewer.
std::vector<Stretch> stretches_of(const PlacedRows& rows, size_t count) {
  std::vector<Stretch> stretches;
  size_t begin = 0;
  for (size_t stretch = 1; stretch <= count; ++stretch) {
    const size_t before = rows.at.front() + stretch * rows.span() / count;
    size_t end = begin;
    while (end < rows.at.size() && rows.at[end] < before) ++end;
    if (end - begin > 2) stretches.push_back({begin, end});
    begin = end;
  }
  return stretches;
}

/// The pace in so many stretches.
std::vector<double> paces_in(size_t stretches, const Vector& advances, const PlacedRows& rows) {
  std::vector<double> paces;
  for (const auto& [begin, end] : stretches_of(rows, stretches)) {
    paces.push_back(pace_between(advances, rows.at, begin, end));
  }
  return paces;
}

/// How many times the smallest the largest is. @pre one or more
double change_of(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return least > 0 ? most / least : std::numeric_limits<double>::infinity();
}

/// Whether the pace is about the same in every stretch of positions, and from turn to turn. @pre two turns or more
bool keeps_its_pace(const TurningPlane& plane, const PlacedRows& rows) {
  using namespace circle_rule;
  const Vector advances = phase_advances(plane, rows.at);
  const auto turns = static_cast<size_t>(plane.turns);
  const auto paces = paces_in(std::min(kMostStretches, turns), advances, rows);
  if (paces.empty() || change_of(paces) > kMostPaceChange) return false;
  const auto of_turns = paces_in(turns, advances, rows);
  return of_turns.empty() || standard_deviation(of_turns) <= kMostPaceVariation * plane.pace;
}

Vector radii_in(const TurningPlane& plane, size_t begin, size_t end) {
  return plane.path.middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin))
      .rowwise()
      .norm();
}

/// Whether the radius is about the same in every stretch of positions: else the path is a spiral.
bool keeps_its_radius(const TurningPlane& plane, const PlacedRows& rows) {
  using namespace circle_rule;
  std::vector<double> radii;
  for (const auto& [begin, end] : stretches_of(rows, kMostStretches)) {
    radii.push_back(radii_in(plane, begin, end).mean());
  }
  return !radii.empty() && change_of(radii) <= kMostRadiusChange;
}

std::optional<CircleFault> fault_in_roundness(const TurningPlane& plane) {
  using namespace circle_rule;
  if (plane.radius_variation > kMostVariation) return CircleFault::radius_varies;
  if (plane.drift > kMostDrift * plane.turns) return CircleFault::phase_strays;
  return {};
}

std::optional<CircleFault> fault_in_going_round(const TurningPlane& plane, const PlacedRows& rows) {
  if (plane.turns < circle_rule::kLeastTurns) return CircleFault::few_turns;
  if (const auto fault = fault_in_roundness(plane)) return fault;
  if (!keeps_its_pace(plane, rows)) return CircleFault::pace_changes;
  if (!keeps_its_radius(plane, rows)) return CircleFault::radius_changes;
  return {};
}

/// Whether it goes round in most of its turns, each looked at by itself: its radius and its pace may change from turn
/// to turn, by steps or all along.
bool goes_round_by_turns(const TurningPlane& plane, const PlacedRows& rows) {
  using namespace circle_rule;
  if (plane.turns < kLeastTurns) return false;
  const size_t count = std::min(static_cast<size_t>(plane.turns), rows.span() / kLeastTurnRows);
  const Vector advances = phase_advances(plane, rows.at);
  std::vector<double> variations;
  std::vector<double> drifts;
  for (const auto& [begin, end] : stretches_of(rows, count)) {
    const Vector radii = radii_in(plane, begin, end);
    const double mean_radius = radii.mean();
    variations.push_back(mean_radius > 0 ? standard_deviation(elements(radii)) / mean_radius : 0);
    drifts.push_back(phase_drift_between(advances, rows.at, begin, end));
  }
  if (variations.empty()) return false;
  return median(variations) <= kMostVariation &&
         median(drifts) <= kMostDrift * plane.turns / static_cast<double>(count);
}

/// Once round and not twice: a circle or a slow path, which nothing tells apart.
bool goes_round_slowly(const TurningPlane& plane) {
  using namespace circle_rule;
  return plane.turns >= kOnce && plane.turns < kLeastTurns && !fault_in_roundness(plane);
}

/// Of a plane that goes round.
std::optional<Circle> circle_of(TurningPlane plane, const Spectra& spectra) {
  using namespace circle_rule;
  const auto [low, high] = about(plane.turns);
  const double line = spectra.all.centre(low, high);
  const double own = spectra.columns.along(plane.axes).between(low, high) / spectra.all.between(low, high);
  if (own < kLeastOwn || std::abs(line - plane.turns) > kMostDifference * plane.turns) return {};
  return Circle{.plane = std::move(plane), .line = line, .own = own};
}

}  // namespace

std::optional<CircleFault> circle_fault(const TurningPlane& plane, const PlacedRows& rows, const StepRotation& step) {
  if (const auto fault = fault_in_going_round(plane, rows)) return fault;
  if (!circle_of(plane, spectra_of(step, rows))) return CircleFault::not_alone;
  return {};
}

Circles circles_of(const PlacedRows& rows, const StepRotation& step) {
  const Spectra spectra = spectra_of(step, rows);
  std::vector<Circles> found;
  double most = 0;
  double turning = 0;
  double by_turns = 0;
  double slow = 0;
  for (size_t components = 2; components <= step.components(); ++components) {
    Circles circles{.components = components};
    double of_these = 0;
    double of_these_by_turns = 0;
    for (auto& plane : step.planes(components)) {
      if (goes_round_slowly(plane)) slow = std::max(slow, plane.share);
      if (goes_round_by_turns(plane, rows)) of_these_by_turns += plane.share;
      if (fault_in_going_round(plane, rows)) continue;
      of_these += plane.share;
      auto circle = circle_of(std::move(plane), spectra);
      if (!circle) continue;
      circles.share += circle->plane.share;
      circles.circles.push_back(std::move(*circle));
    }
    most = std::max(most, circles.share);
    turning = std::max(turning, of_these);
    by_turns = std::max(by_turns, of_these_by_turns);
    found.push_back(std::move(circles));
  }
  if (most == 0) return {.turning = turning, .by_turns = by_turns, .slow = slow};
  Circles chosen =
      *std::ranges::find_if(found, [&](const Circles& one) { return one.share >= most - circle_rule::kNearBest; });
  chosen.turning = turning;
  chosen.by_turns = by_turns;
  chosen.slow = slow;
  return chosen;
}

Circles circles_of(const PlacedRows& rows) {
  return circles_of(rows, StepRotation(rows, circle_rule::kMostComponents));
}

}  // namespace summand::lab
