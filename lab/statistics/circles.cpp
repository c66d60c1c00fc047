#include "lab/statistics/circles.hpp"

#include <algorithm>
#include <cmath>
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

/// The pace in so many equal stretches of positions; none where two rows or fewer lie in one.
std::vector<double> paces_in(size_t stretches, const Vector& advances, const PlacedRows& rows) {
  std::vector<double> paces;
  size_t begin = 0;
  for (size_t stretch = 1; stretch <= stretches; ++stretch) {
    const size_t before = rows.at.front() + stretch * rows.span() / stretches;
    size_t end = begin;
    while (end < rows.at.size() && rows.at[end] < before) ++end;
    if (end - begin > 2) paces.push_back(pace_between(advances, rows.at, begin, end));
    begin = end;
  }
  return paces;
}

/// Whether the pace is about the same in every stretch of positions, and from turn to turn. @pre two turns or more
bool keeps_its_pace(const TurningPlane& plane, const PlacedRows& rows) {
  using namespace circle_rule;
  const Vector advances = phase_advances(plane, rows.at);
  const auto turns = static_cast<size_t>(plane.turns);
  const auto paces = paces_in(std::min(kMostStretches, turns), advances, rows);
  if (paces.empty() || std::ranges::min(paces) <= 0) return false;
  if (std::ranges::max(paces) > kMostPaceChange * std::ranges::min(paces)) return false;
  const auto of_turns = paces_in(turns, advances, rows);
  return of_turns.empty() || standard_deviation(of_turns) <= kMostPaceVariation * plane.pace;
}

bool goes_round(const TurningPlane& plane, const PlacedRows& rows) {
  using namespace circle_rule;
  return plane.turns >= kLeastTurns && plane.radius_variation <= kMostVariation &&
         plane.drift <= kMostDrift * plane.turns && keeps_its_pace(plane, rows);
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

Circles circles_of(const PlacedRows& rows, const StepRotation& step) {
  const Spectra spectra = spectra_of(step, rows);
  std::vector<Circles> found;
  double most = 0;
  double turning = 0;
  for (size_t components = 2; components <= step.components(); ++components) {
    Circles circles{.components = components};
    double of_these = 0;
    for (auto& plane : step.planes(components)) {
      if (!goes_round(plane, rows)) continue;
      of_these += plane.share;
      auto circle = circle_of(std::move(plane), spectra);
      if (!circle) continue;
      circles.share += circle->plane.share;
      circles.circles.push_back(std::move(*circle));
    }
    most = std::max(most, circles.share);
    turning = std::max(turning, of_these);
    found.push_back(std::move(circles));
  }
  if (most == 0) return {.turning = turning};
  Circles chosen =
      *std::ranges::find_if(found, [&](const Circles& one) { return one.share >= most - circle_rule::kNearBest; });
  chosen.turning = turning;
  return chosen;
}

Circles circles_of(const PlacedRows& rows) {
  return circles_of(rows, StepRotation(rows, circle_rule::kMostComponents));
}

}  // namespace summand::lab
