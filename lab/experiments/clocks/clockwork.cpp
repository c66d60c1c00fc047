#include "lab/experiments/clocks/clockwork.hpp"

#include <algorithm>
#include <functional>
#include <numbers>
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

double least_coherence(const Circles& circles, const PlacedRows& rows) {
  size_t least = circles.circles.empty() ? 0 : rows.span();
  for (const auto& circle : circles.circles) least = std::min(least, coherence_length(circle.plane, rows.at));
  return static_cast<double>(least);
}

void read_bands(Clockwork& clockwork, const EnergySpectrum& spectrum) {
  const auto lines = strongest_lines(spectrum, {.until = kMostEnergy});
  clockwork.bands = static_cast<double>(lines.size());
  for (const auto& line : strongest_lines(spectrum, {.until = 1, .most = kNamedBands})) {
    clockwork.five_bands += line.share;
  }
}

/// How far every circle turns from row to row, side by side.
struct CirclePhases {
  Table advances;  ///< [rows − 1, circles], radians
  Vector lengths;  ///< [rows − 1], positions
  Vector weights;  ///< [rows − 1], of the slope

  CirclePhases(const Circles& circles, const PlacedRows& rows) : weights(slope_weights(rows.at)) {
    lengths.resize(weights.size());
    for (Eigen::Index i = 0; i < lengths.size(); ++i) {
      const auto row = static_cast<size_t>(i);
      lengths(i) = static_cast<double>(rows.at[row + 1] - rows.at[row]);
    }
    advances.resize(weights.size(), static_cast<Eigen::Index>(circles.circles.size()));
    for (Eigen::Index i = 0; i < advances.cols(); ++i) {
      advances.col(i) = phase_advances(circles.circles[static_cast<size_t>(i)].plane, rows.at);
    }
  }

  /// @param chosen  numbers of advances, which may repeat
  [[nodiscard]] std::vector<double> paces(std::span<const size_t> chosen) const {
    Vector turned = Vector::Zero(advances.cols());
    double length = 0;
    for (const size_t one : chosen) {
      const auto i = static_cast<Eigen::Index>(one);
      turned += weights(i) * advances.row(i).transpose();
      length += weights(i) * lengths(i);
    }
    const Vector paces = turned / length;
    return {paces.begin(), paces.end()};
  }

  /// Of rows first … end − 1.
  [[nodiscard]] std::vector<double> paces(const std::vector<size_t>& at, size_t first, size_t end) const {
    std::vector<double> paces;
    for (Eigen::Index i = 0; i < advances.cols(); ++i) {
      paces.push_back(pace_between(advances.col(i), at, first, end));
    }
    return paces;
  }
};

/// In order, for a drawing can put them out of it. No ladder at all where one of them stands still or turns back.
Ladder ladder_of_paces(std::vector<double> paces, const Vector& spreads) {
  std::ranges::sort(paces);
  if (paces.front() <= 0) return {};
  return ladder_of(paces, spreads, circle_rule::kNeighbourhood);
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
  clockwork.by_turns = clockwork.whole.by_turns;
  clockwork.coherence = least_coherence(clockwork.whole, rows);
  for (const auto& part : parts_of(rows)) {
    const Circles there = lacking(part.rows.rows, 2, 2) ? Circles{} : circles_of(part.rows);
    clockwork.parts[part.name] = there.share;
    clockwork.turning = std::min(clockwork.turning, there.turning);
    clockwork.by_turns = std::min(clockwork.by_turns, there.by_turns);
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
  for (const auto& [part, of_part] : parts) most = std::max(most, of_part.ladder.ratio_p);
  return most;
}

LadderReading ladder_reading(const Circles& circles, const PlacedRows& rows, const Draws& draws) {
  const CirclePhases phases(circles, rows);
  RandomStream stream(draws.seed, draws.name + " ladders");
  const Vector spreads = spreads_of(random_spacings(circles.circles.size(), ladder_rule::kRandomLadders, stream));
  auto paces = phases.paces(rows.at, 0, rows.at.size());
  std::ranges::sort(paces);
  LadderReading reading{.ladder = ladder_of_paces(paces, spreads),
                        .random = random_log_spreads(paces, spreads, circle_rule::kNeighbourhood)};
  const auto interval = [&](double value, const std::function<double(std::vector<double>)>& of) {
    const Interval drawn = block_bootstrap(
        static_cast<size_t>(phases.weights.size()), kStepsTogether,
        [&](std::span<const size_t> chosen) { return of(phases.paces(chosen)); }, draws);
    return Interval{.low = std::min(drawn.low, value), .high = std::max(drawn.high, value)};
  };
  const auto of_ladder = [&](double Ladder::*of) {
    return interval(reading.ladder.*of, [&spreads, of](std::vector<double> drawn) {
      return ladder_of_paces(std::move(drawn), spreads).*of;
    });
  };
  reading.ratio = of_ladder(&Ladder::ratio);
  reading.log_spread = of_ladder(&Ladder::log_spread);
  reading.ratio_p = of_ladder(&Ladder::ratio_p);
  for (size_t i = 0; i + 1 < paces.size(); ++i) {
    const double ratio = paces[i + 1] / paces[i];
    const auto of_drawn = [i](std::vector<double> drawn) {
      std::ranges::sort(drawn);
      return drawn[i + 1] / drawn[i];
    };
    reading.ratios.push_back({.value = ratio, .interval = interval(ratio, of_drawn)});
  }
  for (const auto& part : parts_of(rows)) {
    const auto first = static_cast<size_t>(std::ranges::lower_bound(rows.at, part.rows.at.front()) - rows.at.begin());
    auto there = phases.paces(rows.at, first, first + part.rows.at.size());
    std::ranges::sort(there);
    PartLadder of_part{.ladder = ladder_of_paces(there, spreads), .ratios = {}};
    for (size_t i = 0; i + 1 < there.size(); ++i) of_part.ratios.push_back(there[i + 1] / there[i]);
    reading.parts[part.name] = std::move(of_part);
  }
  return reading;
}

}  // namespace summand::lab::clocks
