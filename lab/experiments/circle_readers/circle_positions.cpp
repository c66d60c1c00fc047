#include "lab/experiments/circle_readers/circle_positions.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "base/random_stream.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/rows_set_apart.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/subspaces.hpp"

namespace summand::lab::circle_readers {

namespace {

using Eigen::Index;

/// Those with most of the variance, slowest first.
std::vector<TurningPlane> largest(std::vector<TurningPlane> circles) {
  std::ranges::stable_sort(circles, std::ranges::greater(), [](const TurningPlane& one) { return one.share; });
  circles.resize(std::min(circles.size(), kMostCircles));
  std::ranges::stable_sort(circles, {}, [](const TurningPlane& one) { return one.pace; });
  return circles;
}

/// The circles' axes, as little moved as makes all of them orthonormal: those of a linear map are nearly so.
/// Source: symmetric orthogonalisation, Löwdin 1950
std::vector<Table> at_right_angles(const std::vector<TurningPlane>& circles) {
  if (circles.empty()) return {};
  Table all(static_cast<Index>(2 * circles.size()), circles.front().axes.cols());
  for (size_t i = 0; i < circles.size(); ++i) all.middleRows(static_cast<Index>(2 * i), 2) = circles[i].axes;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> products(all * all.transpose());
  const Table turned = products.operatorInverseSqrt() * all;
  std::vector<Table> axes;
  for (size_t i = 0; i < circles.size(); ++i) axes.emplace_back(turned.middleRows(static_cast<Index>(2 * i), 2));
  return axes;
}

}  // namespace

CirclePositions::CirclePositions(Table table) : table_(std::move(table)), kept_(rows_set_apart(table_)) {
  const auto rows = placed_rows(table_, kept_);
  ordinary_.assign(rows.at.begin(), rows.at.end());
  if (lacking(rows.rows, circle_rule::kLeastRows, 2)) return;
  deviations_ = centred(rows.rows);
  circles_ = largest(circles_of(rows).circles);
  for (const auto& axes : at_right_angles(circles_)) planes_.push_back(plane_along(axes));
}

PositionPlane CirclePositions::plane_along(const Table& axes) const {
  const Eigen::RowVector2d first = (deviations_.row(0) * axes.transpose()).normalized();
  PositionPlane plane{.axes = Table(2, axes.cols())};
  plane.axes.row(0) = first * axes;
  plane.axes.row(1) = Eigen::RowVector2d(-first(1), first(0)) * axes;
  return plane;
}

Table CirclePositions::with(const Table& change) const {
  Table changed = table_;
  changed(ordinary_, Eigen::all) += change;
  return changed;
}

Eigen::RowVectorXd CirclePositions::mean_in_use(const Table& rows, size_t in_use) const {
  const auto count = std::ranges::lower_bound(ordinary_, static_cast<Index>(in_use)) - ordinary_.begin();
  return rows.topRows(count).colwise().mean();
}

Table CirclePositions::stopped(std::span<const PositionPlane> planes, size_t in_use) const {
  Table change = Table::Zero(deviations_.rows(), deviations_.cols());
  for (const auto& plane : planes) {
    const Table path = deviations_ * plane.axes.transpose();
    change -= plane.factor * (path.rowwise() - mean_in_use(path, in_use)) * plane.axes;
  }
  return with(change);
}

Table CirclePositions::reversed(const PositionPlane& plane) const {
  const Vector across = deviations_ * plane.axes.row(1).transpose();
  return with(-2 * plane.factor * across * plane.axes.row(1));
}

Table CirclePositions::sped_up(const PositionPlane& plane) const {
  const Table path = deviations_ * plane.axes.transpose();
  Table change(path.rows(), 2);
  for (Index row = 0; row < path.rows(); ++row) {
    const std::complex<double> at(path(row, 0), path(row, 1));
    const double radius = std::abs(at);
    const std::complex<double> moved = radius > 0 ? at * at / radius - at : 0;
    change.row(row) << moved.real(), moved.imag();
  }
  return with(plane.factor * change * plane.axes);
}

Table CirclePositions::without_order(size_t in_use) const {
  Table change = -deviations_;
  change.rowwise() += mean_in_use(deviations_, in_use);
  return with(change);
}

std::vector<PositionPlane> CirclePositions::random_planes(uint64_t seed, size_t cut) const {
  RandomStream stream(seed, fmt::format("circle readers: random planes {}", cut));
  const auto directions = static_cast<Index>(2 * planes_.size());
  Table span(directions, deviations_.cols());
  for (size_t i = 0; i < planes_.size(); ++i) span.middleRows(static_cast<Index>(2 * i), 2) = planes_[i].axes;
  const Table turned = random_frame(2 * planes_.size(), 2 * planes_.size(), stream) * span;
  std::vector<PositionPlane> planes;
  for (size_t i = 0; i < planes_.size(); ++i) {
    planes.push_back(plane_along(turned.middleRows(static_cast<Index>(2 * i), 2)));
    const double own = (deviations_ * planes_[i].axes.transpose()).squaredNorm();
    planes.back().factor = std::sqrt(own / (deviations_ * planes.back().axes.transpose()).squaredNorm());
  }
  return planes;
}

}  // namespace summand::lab::circle_readers
