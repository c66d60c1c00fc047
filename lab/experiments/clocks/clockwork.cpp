#include "lab/experiments/clocks/clockwork.hpp"

#include <algorithm>
#include <functional>
#include <numbers>
#include <span>

#include "base/random_stream.hpp"
#include "lab/experiments/clocks/parts.hpp"
#include "lab/nulls/named_tables.hpp"
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

/// The steps of every circle's phase, side by side. @return [pairs of neighbours, circles]
Table phase_steps(const Circles& circles, const std::vector<size_t>& at) {
  Table steps;
  for (size_t i = 0; i < circles.circles.size(); ++i) {
    const Vector own = steps_of_phase(circles.circles[i].plane, at);
    if (i == 0) steps.resize(own.size(), static_cast<Eigen::Index>(circles.circles.size()));
    steps.col(static_cast<Eigen::Index>(i)) = own;
  }
  return steps;
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
  for (const auto& part : parts_of(rows)) {
    clockwork.parts[part.name] = lacking(part.rows.rows, 2, 2) ? 0 : circles_of(part.rows).share;
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

LadderReading ladder_reading(const Circles& circles, const std::vector<size_t>& at, const Draws& draws) {
  const Table steps = phase_steps(circles, at);
  RandomStream stream(draws.seed, draws.name + " ladders");
  LadderReading reading{.random = random_ladder_spreads(circles.circles.size(), kRandomLadders, stream)};
  std::vector<double> paces;
  for (const auto& circle : circles.circles) paces.push_back(circle.plane.pace);
  std::ranges::sort(paces);
  reading.ladder = ladder_of(paces, reading.random);
  const auto interval = [&](double Ladder::*of) {
    return block_bootstrap(
        static_cast<size_t>(steps.rows()), kStepsTogether,
        [&](std::span<const size_t> drawn) {
          const std::vector<Eigen::Index> chosen(drawn.begin(), drawn.end());
          const Vector means = steps(chosen, Eigen::all).colwise().mean();
          std::vector<double> resampled(means.begin(), means.end());
          std::ranges::sort(resampled);
          return ladder_of(resampled, reading.random).*of;
        },
        draws);
  };
  reading.ratio = interval(&Ladder::ratio);
  reading.log_spread = interval(&Ladder::log_spread);
  reading.ratio_p = interval(&Ladder::ratio_p);
  return reading;
}

}  // namespace summand::lab::clocks
