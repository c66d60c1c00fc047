#include "lab/experiments/clocks/clockwork.hpp"

#include <algorithm>
#include <functional>
#include <numbers>
#include <span>
#include <utility>

#include "base/random_stream.hpp"
#include "lab/experiments/clocks/clock_settings.hpp"
#include "lab/experiments/clocks/parts.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/ladder.hpp"
#include "lab/statistics/turning_plane.hpp"

namespace summand::lab::clocks {

namespace {

constexpr size_t kStepsTogether = 16;  // the pace of neighbouring steps is alike

double least_coherence(const Circles& circles, const PlacedRows& rows) {
  size_t least = circles.circles.empty() ? 0 : rows.span();
  for (const auto& circle : circles.circles) least = std::min(least, coherence_length(circle, rows.at));
  return static_cast<double>(least);
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
      advances.col(i) = phase_advances(circles.circles[static_cast<size_t>(i)], rows.at);
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
  return ladder_of(paces, spreads, ladder_rule::kNeighbourhood);
}

}  // namespace

double Clockwork::pace(size_t circle) const {
  return circle < whole.circles.size() ? whole.circles[circle].pace * kDegrees : 0;
}

Clockwork clockwork_of(const PlacedRows& rows) {
  Clockwork clockwork{.whole = circles_of(rows)};
  clockwork.coherence = least_coherence(clockwork.whole, rows);
  for (const auto& part : parts_of(rows)) clockwork.parts[part.name] = circles_of(part.rows);
  return clockwork;
}

double LadderReading::most_p() const {
  double most = ladder.ratio_p;
  for (const auto& [part, of_part] : parts) {
    if (of_part.slowest_turns >= circle_rule::kLeastTurns) most = std::max(most, of_part.ladder.ratio_p);
  }
  return most;
}

LadderReading ladder_reading(const Circles& circles, const PlacedRows& rows, const Draws& draws) {
  const CirclePhases phases(circles, rows);
  RandomStream stream(draws.seed, draws.name + " ladders");
  const Vector spreads = spreads_of(random_spacings(circles.circles.size(), ladder_rule::kRandomLadders, stream));
  auto paces = phases.paces(rows.at, 0, rows.at.size());
  std::ranges::sort(paces);
  LadderReading reading{.ladder = ladder_of_paces(paces, spreads),
                        .random = random_log_spreads(paces, spreads, ladder_rule::kNeighbourhood)};
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
    PartLadder of_part{.ladder = ladder_of_paces(there, spreads),
                       .ratios = {},
                       .slowest_turns = there.front() * static_cast<double>(part.rows.span()) / (2 * std::numbers::pi)};
    for (size_t i = 0; i + 1 < there.size(); ++i) of_part.ratios.push_back(there[i + 1] / there[i]);
    reading.parts[part.name] = std::move(of_part);
  }
  return reading;
}

}  // namespace summand::lab::clocks
