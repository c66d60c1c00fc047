#include "lab/statistics/turning_plane.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "lab/statistics/moments.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;
using std::numbers::pi;

/// Into [−π, π].
double wrapped(double angle) {
  return std::remainder(angle, 2 * pi);
}

double phase_at(const Table& path, Index row) {
  return std::atan2(path(row, 1), path(row, 0));
}

/// What every row is ahead of a steady pace.
class PathPhases {
 public:
  PathPhases(const TurningPlane& plane, const std::vector<size_t>& at) : phases_(at.back() - at.front() + 1, 0) {
    for (Index i = 0; i < plane.path.rows(); ++i) {
      const size_t place = at[static_cast<size_t>(i)] - at.front();
      phases_[place] = std::polar(1.0, phase_at(plane.path, i) - plane.pace * static_cast<double>(place));
    }
  }

  [[nodiscard]] size_t span() const { return phases_.size(); }

  /// Of what is gained over so many positions; 1 where no two rows are so far apart.
  [[nodiscard]] double resultant(size_t distance) const {
    std::complex<double> sum = 0;
    double pairs = 0;
    for (size_t place = 0; place + distance < phases_.size(); ++place) {
      const auto gained = std::conj(phases_[place]) * phases_[place + distance];
      sum += gained;
      pairs += std::abs(gained);
    }
    return pairs > 0 ? std::abs(sum) / pairs : 1;
  }

 private:
  std::vector<std::complex<double>> phases_;  // 0 where no row is
};

double coherence_over_a_turn(const TurningPlane& plane, const std::vector<size_t>& at) {
  const PathPhases phases(plane, at);
  const double turn = std::round(2 * pi / std::abs(plane.pace));
  const double half = static_cast<double>(phases.span() / 2);
  if (!(turn >= 1) || half < 1) return 0;
  return phases.resultant(static_cast<size_t>(std::min(turn, half)));
}

}  // namespace

void read_path(TurningPlane& plane, const std::vector<size_t>& at) {
  const Vector radii = plane.path.rowwise().norm();
  plane.radius = mean(elements(radii));
  plane.radius_variation = plane.radius > 0 ? standard_deviation(elements(radii)) / plane.radius : 0;
  plane.pace = pace_between(phase_advances(plane, at), at, 0, at.size());
  plane.turns = plane.pace * static_cast<double>(at.back() - at.front() + 1) / (2 * pi);
  plane.coherence = coherence_over_a_turn(plane, at);
}

Vector phase_advances(const TurningPlane& plane, const std::vector<size_t>& at) {
  Vector advances(static_cast<Index>(at.size()) - 1);
  for (Index i = 0; i < advances.size(); ++i) {
    const auto row = static_cast<size_t>(i);
    const double expected = plane.angle * static_cast<double>(at[row + 1] - at[row]);
    advances(i) = expected + wrapped(phase_at(plane.path, i + 1) - phase_at(plane.path, i) - expected);
  }
  return advances;
}

size_t coherence_length(const TurningPlane& plane, const std::vector<size_t>& at) {
  const PathPhases phases(plane, at);
  for (size_t distance = 1; distance <= phases.span() / 2; ++distance) {
    if (phases.resultant(distance) < kCoherent) return distance - 1;
  }
  return phases.span() / 2;
}

Vector slope_weights(std::span<const size_t> at) {
  double mean = 0;
  for (const size_t place : at) mean += static_cast<double>(place) / static_cast<double>(at.size());
  Vector weights(static_cast<Index>(at.size()) - 1);
  double behind = 0;  // of the places' deviations
  for (Index i = weights.size() - 1; i >= 0; --i) {
    behind += static_cast<double>(at[static_cast<size_t>(i) + 1]) - mean;
    weights(i) = behind;
  }
  return weights;
}

double pace_between(const Vector& advances, const std::vector<size_t>& at, size_t first, size_t end) {
  const Vector weights = slope_weights(std::span(at).subspan(first, end - first));
  double turned = 0;
  double length = 0;
  for (Index i = 0; i < weights.size(); ++i) {
    const size_t row = first + static_cast<size_t>(i);
    turned += weights(i) * advances(static_cast<Index>(row));
    length += weights(i) * static_cast<double>(at[row + 1] - at[row]);
  }
  return turned / length;
}

}  // namespace summand::lab
