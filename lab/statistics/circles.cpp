#include "lab/statistics/circles.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

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

std::optional<Circle> circle_of(TurningPlane plane, const Spectra& spectra) {
  using namespace circle_rule;
  const bool goes_round =
      plane.turns >= kLeastTurns && plane.radius_variation <= kMostVariation && plane.drift <= kMostDrift * plane.turns;
  if (!goes_round) return {};
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
  for (size_t components = 2; components <= step.components(); ++components) {
    Circles circles{.circles = {}, .components = components};
    for (auto& plane : step.planes(components)) {
      auto circle = circle_of(std::move(plane), spectra);
      if (!circle) continue;
      circles.share += circle->plane.share;
      circles.circles.push_back(std::move(*circle));
    }
    most = std::max(most, circles.share);
    found.push_back(std::move(circles));
  }
  if (most == 0) return {};
  return *std::ranges::find_if(found, [&](const Circles& one) { return one.share >= most - circle_rule::kNearBest; });
}

Circles circles_of(const PlacedRows& rows) {
  return circles_of(rows, StepRotation(rows, circle_rule::kMostComponents));
}

}  // namespace summand::lab
