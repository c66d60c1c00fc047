#include "lab/statistics/step_rotation.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/procrustes.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;
using std::numbers::pi;

constexpr double kRealEigenvalue = 1e-9;  // entries below it, off the diagonal, are rounding

/// Into (−π, π].
double wrapped(double angle) {
  return std::remainder(angle, 2 * pi);
}

double phase_at(const Table& path, Index row) {
  return std::atan2(path(row, 1), path(row, 0));
}

struct Line {
  double slope = 0;
  double deviation = 0;  // of what is left
};

Line line_through(std::span<const size_t> at, const Vector& values) {
  Vector x(values.size());
  for (Index i = 0; i < x.size(); ++i) x(i) = static_cast<double>(at[static_cast<size_t>(i)]);
  x.array() -= x.mean();
  const Vector y = values.array() - values.mean();
  const double slope = x.dot(y) / x.squaredNorm();
  return {.slope = slope, .deviation = std::sqrt((y - slope * x).squaredNorm() / static_cast<double>(x.size()))};
}

}  // namespace

StepRotation::StepRotation(const PlacedRows& rows, size_t most) : at_(rows.at), steps_(steps_of(rows)) {
  auto components = principal_components(rows.rows, most);
  scores_ = std::move(components.scores);
  loadings_ = std::move(components.loadings);
  energy_ = centred(rows.rows).squaredNorm();
}

Table StepRotation::directions(const TurningPlane& plane) const {
  return plane.axes.transpose() * loadings_.topRows(plane.axes.rows());
}

TurningPlane StepRotation::plane(const Table& axes, double angle) const {
  TurningPlane plane{.angle = angle, .axes = axes, .path = scores_.leftCols(axes.rows()) * axes};
  const Vector radii = plane.path.rowwise().norm();
  plane.radius = mean(elements(radii));
  plane.radius_variation = plane.radius > 0 ? standard_deviation(elements(radii)) / plane.radius : 0;
  plane.share = radii.squaredNorm() / energy_;
  // What the rows are ahead of the rotation varies slowly, and is unwrapped without doubt.
  Vector ahead(radii.size());
  for (Index i = 0; i < ahead.size(); ++i) {
    const double now = phase_at(plane.path, i) - angle * static_cast<double>(at_[static_cast<size_t>(i)]);
    ahead(i) = i == 0 ? wrapped(now) : ahead(i - 1) + wrapped(now - ahead(i - 1));
  }
  const Line line = line_through(at_, ahead);
  plane.pace = angle + line.slope;
  plane.turns = plane.pace * static_cast<double>(at_.back() - at_.front() + 1) / (2 * pi);
  plane.drift = line.deviation / (2 * pi);
  return plane;
}

std::vector<TurningPlane> StepRotation::planes(size_t count) const {
  require(count >= 1 && count <= components() && !steps_.empty(), "step rotation",
          fmt::format("expected {} components and two neighbouring rows, got {} and {} pairs", count, components(),
                      steps_.size()));
  const auto k = static_cast<Index>(count);
  std::vector<Index> next(steps_);
  for (Index& row : next) ++row;
  const Table turn = orthogonal_procrustes(scores_(steps_, Eigen::seqN(0, k)), scores_(next, Eigen::seqN(0, k)));
  const Eigen::RealSchur<Eigen::MatrixXd> schur{Eigen::MatrixXd(turn)};
  const auto& blocks = schur.matrixT();
  std::vector<TurningPlane> planes;
  for (Index i = 0; i + 1 < k; ++i) {
    if (std::abs(blocks(i + 1, i)) <= kRealEigenvalue) continue;
    // Rows are multiplied from the left: the block is [cos, sin; −sin, cos].
    const double sine = (blocks(i, i + 1) - blocks(i + 1, i)) / 2;
    const double angle = std::atan2(std::abs(sine), (blocks(i, i) + blocks(i + 1, i + 1)) / 2);
    Table axes = schur.matrixU().middleCols(i, 2);
    if (sine < 0) axes.col(1) = -axes.col(1);
    planes.push_back(plane(axes, angle));
    ++i;
  }
  std::ranges::sort(planes, {}, &TurningPlane::angle);
  return planes;
}

double StepRotation::skill(size_t count, size_t stretches) const {
  require(
      count >= 1 && count <= components() && stretches >= 2, "step rotation",
      fmt::format("expected {} components and two stretches or more, got {} and {}", count, components(), stretches));
  const auto k = static_cast<Index>(count);
  const size_t span = at_.back() - at_.front() + 1;
  const auto stretch_of = [&](Index row) { return (at_[static_cast<size_t>(row)] - at_.front()) * stretches / span; };
  double error = 0;
  double persistence = 0;
  for (size_t stretch = 0; stretch < stretches; ++stretch) {
    std::vector<Index> fit;
    std::vector<Index> judge;
    for (const Index row : steps_) {
      const bool starts = stretch_of(row) == stretch;
      if (starts != (stretch_of(row + 1) == stretch)) continue;
      (starts ? judge : fit).push_back(row);
    }
    require(fit.size() >= count, "step rotation",
            fmt::format("expected {} pairs of rows to fit on, got {}", count, fit.size()));
    const auto rows_at = [&](std::vector<Index> rows, Index further) {
      for (Index& row : rows) row += further;
      return Table(scores_(rows, Eigen::seqN(0, k)));
    };
    const Table from = rows_at(judge, 0);
    const Table to = rows_at(judge, 1);
    error += (from * orthogonal_procrustes(rows_at(fit, 0), rows_at(fit, 1)) - to).squaredNorm();
    persistence += (from - to).squaredNorm();
  }
  require(persistence > 0, "step rotation", "expected rows that move");
  return 1 - error / persistence;
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
  using Phase = std::complex<double>;
  const size_t span = at.back() - at.front() + 1;
  std::vector<Phase> phases(span, 0);  // of what the row is ahead of the steady pace; 0 where no row is
  for (Index i = 0; i < plane.path.rows(); ++i) {
    const size_t place = at[static_cast<size_t>(i)] - at.front();
    phases[place] = std::polar(1.0, phase_at(plane.path, i) - plane.pace * static_cast<double>(place));
  }
  for (size_t distance = 1; distance <= span / 2; ++distance) {
    Phase sum = 0;
    double pairs = 0;
    for (size_t place = 0; place + distance < span; ++place) {
      const Phase gained = std::conj(phases[place]) * phases[place + distance];
      sum += gained;
      pairs += std::abs(gained);
    }
    if (pairs > 0 && std::abs(sum) < kCoherent * pairs) return distance - 1;
  }
  return span / 2;
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

double phase_drift_between(const Vector& advances, const std::vector<size_t>& at, size_t first, size_t end) {
  Vector phases(static_cast<Index>(end - first));
  phases(0) = 0;
  for (Index i = 1; i < phases.size(); ++i) phases(i) = phases(i - 1) + advances(static_cast<Index>(first) + i - 1);
  return line_through(std::span(at).subspan(first, end - first), phases).deviation / (2 * pi);
}

}  // namespace summand::lab
