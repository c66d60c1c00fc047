#include "lab/experiments/clocks/circles.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/spectral_lines.hpp"

namespace summand::lab::clocks {

namespace {

/// The frequencies about a plane's own, in turns.
struct Neighbourhood {
  double low = 0;
  double high = 0;
};

Neighbourhood about(double turns) {
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
  return *std::ranges::find_if(found, [&](const Circles& one) { return one.share >= most - kNearBest; });
}

Circles circles_of(const PlacedRows& rows) {
  return circles_of(rows, StepRotation(rows, kMostComponents));
}

std::vector<Part> parts_of(const PlacedRows& rows) {
  if (rows.at.size() < 2 * kLeastPartRows) return {};
  const size_t end = rows.at.back() + 1;
  const size_t middle = rows.at[rows.at.size() / 2];
  constexpr auto kShort = static_cast<size_t>(kShortSequence);
  std::vector<Part> parts{{"first_half", rows_between(rows, 0, middle)},
                          {"second_half", rows_between(rows, middle, end)}};
  Part below{"below_128", rows_between(rows, 0, kShort)};
  Part from{"from_128", rows_between(rows, kShort, end)};
  if (std::min(below.rows.at.size(), from.rows.at.size()) >= kLeastPartRows) {
    parts.push_back(std::move(below));
    parts.push_back(std::move(from));
  }
  return parts;
}

}  // namespace summand::lab::clocks
