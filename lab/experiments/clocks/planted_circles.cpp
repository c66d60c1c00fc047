#include "lab/experiments/clocks/planted_circles.hpp"

#include <cmath>
#include <numbers>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/subspaces.hpp"

namespace summand::lab::clocks {

namespace {

using Eigen::Index;
using std::numbers::pi;

constexpr int kDriftCycles = 3;  // of the pace over the table, at most

/// The phase at each row: its steps are the pace, whose logarithm is a sum of slow sinusoids.
Vector drifting_phase(Index rows, double turns, double drift, RandomStream& stream) {
  Vector logarithm = Vector::Zero(rows);
  for (int cycles = 1; cycles <= kDriftCycles; ++cycles) {
    const double cosine = stream.normal();
    const double sine = stream.normal();
    for (Index i = 0; i < rows; ++i) {
      const double angle = 2 * pi * cycles * (static_cast<double>(i) + 0.5) / static_cast<double>(rows);
      logarithm(i) += cosine * std::cos(angle) + sine * std::sin(angle);
    }
  }
  logarithm.array() -= logarithm.mean();
  const Vector pace = (drift / standard_deviation(elements(logarithm)) * logarithm).array().exp();
  Vector phase(rows);
  double at = 2 * pi * stream.uniform();
  for (Index i = 0; i < rows; ++i) {
    phase(i) = at;
    at += 2 * pi * turns * pace(i) / pace.sum();
  }
  return phase;
}

}  // namespace

std::vector<double> planted_turns(size_t circles, size_t rows, size_t part) {
  const double slowest = kSlowestTurns * static_cast<double>(rows) / static_cast<double>(part);
  const double fastest = kFastestTurn * static_cast<double>(rows);
  if (circles == 1) return {std::sqrt(slowest * fastest)};
  std::vector<double> turns;
  for (size_t i = 0; i < circles; ++i) {
    const double along = static_cast<double>(i) / static_cast<double>(circles - 1);
    turns.push_back(slowest * std::pow(fastest / slowest, along));
  }
  return turns;
}

Table planted_circles(Shape shape, std::span<const double> turns, RandomStream& stream, double drift) {
  const auto rows = static_cast<Index>(shape.rows);
  const Table frame = random_frame(2 * turns.size(), shape.columns, stream);
  Table scores(rows, static_cast<Index>(2 * turns.size()));
  for (size_t i = 0; i < turns.size(); ++i) {
    const Vector phase = drifting_phase(rows, turns[i], drift, stream);
    scores.col(static_cast<Index>(2 * i)) = phase.array().cos();
    scores.col(static_cast<Index>(2 * i + 1)) = phase.array().sin();
  }
  const double noise = kPlantedNoise / (1 - kPlantedNoise) * static_cast<double>(turns.size());
  return scores * frame + std::sqrt(noise / static_cast<double>(shape.columns)) * white_noise(shape, stream);
}

}  // namespace summand::lab::clocks
