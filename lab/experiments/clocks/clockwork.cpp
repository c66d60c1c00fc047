#include "lab/experiments/clocks/clockwork.hpp"

#include <algorithm>
#include <functional>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "base/random_stream.hpp"
#include "lab/experiments/clocks/parts.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/ladder.hpp"
#include "lab/statistics/spectral_lines.hpp"
#include "lab/statistics/step_rotation.hpp"

namespace summand::lab::clocks {

namespace {

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr size_t kStepsTogether = 16;  // the pace of neighbouring steps is alike

void read_planes(Clockwork& clockwork, const std::vector<TurningPlane>& planes) {
  double share = 0;
  for (const auto& plane : planes) {
    clockwork.angles.push_back(plane.angle * kDegrees);
    clockwork.variation += plane.share * plane.radius_variation;
    clockwork.drift += plane.share * plane.drift;
    share += plane.share;
  }
  if (share == 0) return;
  clockwork.variation /= share;
  clockwork.drift /= share;
}

void read_bands(Clockwork& clockwork, const EnergySpectrum& spectrum) {
  const auto lines = strongest_lines(spectrum, {.until = kMostEnergy});
  clockwork.bands = static_cast<double>(lines.size());
  for (const auto& line : strongest_lines(spectrum, {.until = 1, .most = kNamedBands})) {
    clockwork.five_bands += line.share;
  }
}

/// The steps of every circle's phase, side by side.
struct PhaseSteps {
  Table steps;               ///< [pairs of neighbours, circles], radians
  std::vector<size_t> from;  ///< [pairs], the position that each begins at
  size_t first = 0;
  size_t last = 0;  ///< position of all

  PhaseSteps(const Circles& circles, const PlacedRows& rows) : first(rows.at.front()), last(rows.at.back()) {
    for (const Eigen::Index row : steps_of(rows)) from.push_back(rows.at[static_cast<size_t>(row)]);
    steps.resize(static_cast<Eigen::Index>(from.size()), static_cast<Eigen::Index>(circles.circles.size()));
    for (Eigen::Index i = 0; i < steps.cols(); ++i) {
      steps.col(i) = steps_of_phase(circles.circles[static_cast<size_t>(i)].plane, rows.at);
    }
  }

  /// Slowest first, as the circles are. @param chosen  rows of steps, which may repeat
  [[nodiscard]] std::vector<double> paces(const PaceOver& over, std::span<const size_t> chosen) const {
    const std::vector<Eigen::Index> rows_drawn(chosen.begin(), chosen.end());
    const Table drawn = steps(rows_drawn, Eigen::all);
    std::vector<size_t> starts;
    for (const size_t row : chosen) starts.push_back(from[row]);
    std::vector<double> all;
    for (Eigen::Index i = 0; i < drawn.cols(); ++i) all.push_back(over(drawn.col(i), starts));
    return all;
  }

  [[nodiscard]] std::vector<double> paces(const PaceOver& over) const {
    std::vector<size_t> all(from.size());
    std::iota(all.begin(), all.end(), size_t{0});
    return paces(over, all);
  }
};

/// In order, for a drawing can put them out of it. No ladder at all where one of them stands still or turns back.
Ladder ladder_of_paces(std::vector<double> paces, const Table& spacings) {
  std::ranges::sort(paces);
  if (paces.front() <= 0) return {};
  return ladder_of(paces, spacings, circle_rule::kNeighbourhood);
}

}  // namespace

double Clockwork::least() const {
  double least = whole.share;
  for (const auto& [part, share] : parts) least = std::min(least, share);
  return least;
}

Clockwork clockwork_of(const PlacedRows& rows, size_t components) {
  const StepRotation step(rows, circle_rule::kMostComponents);
  Clockwork clockwork{.whole = circles_of(rows, step)};
  clockwork.turning = clockwork.whole.turning;
  for (const auto& part : parts_of(rows)) {
    const Circles there = lacking(part.rows.rows, 2, 2) ? Circles{} : circles_of(part.rows);
    clockwork.parts[part.name] = there.share;
    clockwork.turning = std::min(clockwork.turning, there.turning);
  }
  if (components == 0) components = clockwork.whole.components;
  if (components == 0) components = kUsualComponents;
  components = std::min(components, step.components());
  clockwork.components = components;
  read_planes(clockwork, step.planes(components));
  read_bands(clockwork, energy_spectrum(rows));
  clockwork.skill = step.skill(components, kStretches);
  return clockwork;
}

double LadderReading::most_p_of_parts() const {
  double most = parts.empty() ? 1 : 0;
  for (const auto& [part, of_part] : parts) most = std::max(most, of_part.ratio_p);
  return most;
}

LadderReading ladder_reading(const Circles& circles, const PlacedRows& rows, const Draws& draws) {
  const PhaseSteps phases(circles, rows);
  const PaceOver whole{.first = phases.first, .last = phases.last};
  RandomStream stream(draws.seed, draws.name + " ladders");
  const Table spacings = random_spacings(circles.circles.size(), kRandomLadders, stream);
  auto paces = phases.paces(whole);
  std::ranges::sort(paces);
  LadderReading reading{.ladder = ladder_of_paces(paces, spacings),
                        .random = random_log_spreads(paces, spacings, circle_rule::kNeighbourhood)};
  const auto interval = [&](const std::function<double(std::vector<double>)>& of) {
    return block_bootstrap(
        phases.from.size(), kStepsTogether,
        [&](std::span<const size_t> drawn) { return of(phases.paces(whole, drawn)); }, draws);
  };
  const auto of_ladder = [&](double Ladder::*of) {
    return interval(
        [&spacings, of](std::vector<double> drawn) { return ladder_of_paces(std::move(drawn), spacings).*of; });
  };
  reading.ratio = of_ladder(&Ladder::ratio);
  reading.log_spread = of_ladder(&Ladder::log_spread);
  reading.ratio_p = of_ladder(&Ladder::ratio_p);
  for (size_t i = 0; i + 1 < paces.size(); ++i) {
    reading.ratios.push_back({.value = paces[i + 1] / paces[i], .interval = interval([i](std::vector<double> drawn) {
                                                                  std::ranges::sort(drawn);
                                                                  return drawn[i + 1] / drawn[i];
                                                                })});
  }
  for (const auto& part : parts_of(rows)) {
    const PaceOver there{.first = part.rows.at.front(), .last = part.rows.at.back()};
    const double slowest = paces.front() * static_cast<double>(part.rows.span()) / (2 * std::numbers::pi);
    if (slowest < kLeastTurnsOfPart) continue;
    reading.parts[part.name] = ladder_of_paces(phases.paces(there), spacings);
  }
  return reading;
}

}  // namespace summand::lab::clocks
