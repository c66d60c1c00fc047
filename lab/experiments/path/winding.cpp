#include "lab/experiments/path/winding.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/statistics/isotonic.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace path {
namespace {

using Eigen::Index;

constexpr int kCentrings = 8;  // the centre of the first is the mean, which lies beside that of an open path
constexpr Index kEndsOf = 20;  // an end is one part of so many
constexpr double kNothing = 1e-9;
constexpr double kMostGrowth = 1000;  // a radius that starts at the centre grows by no finite factor

/// Along the path, every angle less than half a turn from the one before.
Vector angles_along(const Table& around) {
  constexpr double kTurn = 2 * std::numbers::pi;
  Vector angles(around.rows());
  for (Index i = 0; i < around.rows(); ++i) {
    angles(i) = std::atan2(around(i, 1), around(i, 0));
    if (i > 0) angles(i) -= kTurn * std::round((angles(i) - angles(i - 1)) / kTurn);
  }
  return angles;
}

double growth_of(const Vector& radii) {
  const Index end = std::max<Index>(1, radii.size() / kEndsOf);
  const double first = radii.head(end).mean();
  const double last = radii.tail(end).mean();
  const double large = std::max(first, last);
  return large > 0 ? std::min(kMostGrowth, large / std::max(std::min(first, last), kNothing * large)) : 1;
}

struct Fit {
  double left = 0;  ///< squared, of all rows
  double radius_r2 = 0;
  Table path;  ///< [rows, 2], around its centre
  double turns = 0;
  double growth = 1;
};

Fit fitted(const Table& around) {
  const Vector angles = angles_along(around);
  const Order way = angles(angles.size() - 1) >= angles(0) ? Order::rising : Order::falling;
  // What a row of a small radius says of the angle weighs little in the plane.
  const Vector weights = around.rowwise().squaredNorm().array() + kNothing * around.squaredNorm() + kNothing;
  const Vector steady = isotonic(angles, weights, way);
  Table direction(around.rows(), 2);
  direction << steady.array().cos(), steady.array().sin();
  const Vector along = around.cwiseProduct(direction).rowwise().sum();
  const double turns = std::abs(steady(steady.size() - 1) - steady(0)) / (2 * std::numbers::pi);
  const double growth = growth_of(along);
  const double varied = (along.array() - along.mean()).square().sum();
  Fit best;
  for (const Order order : {Order::rising, Order::falling}) {
    const Vector radii = isotonic(along, Vector::Ones(along.size()), order).cwiseMax(0);
    Fit one{.path = direction.array().colwise() * radii.array(), .turns = turns, .growth = growth};
    one.radius_r2 = varied > 0 ? 1 - (along - radii).squaredNorm() / varied : 0;
    one.left = (around - one.path).squaredNorm();
    if (order == Order::rising || one.left < best.left) best = std::move(one);
  }
  return best;
}

}  // namespace

Winding winding_of(const Table& plane) {
  require(plane.cols() == 2 && plane.rows() >= 3, "winding path", "expected 2 columns and 3 rows or more");
  Table around = plane.rowwise() - plane.colwise().mean();
  const double all = around.squaredNorm();
  Winding found;
  if (all == 0) return found;
  for (int i = 0; i < kCentrings; ++i) {
    const Fit fit = fitted(around);
    const double r2 = 1 - fit.left / all;
    if (r2 > found.r2) found = {.r2 = r2, .radius_r2 = fit.radius_r2, .turns = fit.turns, .growth = fit.growth};
    around.rowwise() -= (around - fit.path).colwise().mean();
  }
  return found;
}

}  // namespace path

}  // namespace summand::lab
