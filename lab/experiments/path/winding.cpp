#include "lab/experiments/path/winding.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "lab/statistics/isotonic.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace path {
namespace {

using Eigen::Index;

constexpr int kCentrings = 8;  // the centre of the first is the mean, which lies beside that of an open path
constexpr Index kEndsOf = 20;  // an end is one part of so many
constexpr double kNothing = 1e-9;
constexpr Index kStepBlocks = 64;  // fine enough to see a step in the first or last few rows
constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kRemembered = 4;     // steps, of the pace with which a path goes across rows that are left out
constexpr double kMostGrowth = 1000;  // a radius that starts at the centre grows by no finite factor

/// Along the path, every angle less than half a turn from where the steps before lead.
/// @param at  positions of the rows
Vector angles_along(const Table& around, const std::vector<size_t>& at) {
  Vector angles(around.rows());
  double pace = 0;  // over the last few steps between neighbours
  for (Index i = 0; i < around.rows(); ++i) {
    angles(i) = std::atan2(around(i, 1), around(i, 0));
    if (i == 0) continue;
    const size_t steps = at[static_cast<size_t>(i)] - at[static_cast<size_t>(i) - 1];
    const double expected = angles(i - 1) + pace * static_cast<double>(steps - 1);
    angles(i) -= kTurn * std::round((angles(i) - expected) / kTurn);
    if (steps == 1) pace += (angles(i) - angles(i - 1) - pace) / kRemembered;
  }
  return angles;
}

/// The angles of rows around a centre, made to go one way. @return [rows]
Vector steady_angles(const Table& around, const std::vector<size_t>& at) {
  const Vector angles = angles_along(around, at);
  const Order way = angles(angles.size() - 1) >= angles(0) ? Order::rising : Order::falling;
  // What a row of a small radius says of the angle weighs little in the plane.
  const Vector weights = around.rowwise().squaredNorm().array() + kNothing * around.squaredNorm() + kNothing;
  return isotonic(angles, weights, way);
}

/// Unit vectors. @return [rows, 2]
Table directions_of(const Vector& angles) {
  Table direction(angles.size(), 2);
  direction << angles.array().cos(), angles.array().sin();
  return direction;
}

double turns_of(const Vector& angles) {
  return std::abs(angles(angles.size() - 1) - angles(0)) / kTurn;
}

double growth_of(const Vector& radii) {
  const Index end = std::max<Index>(1, radii.size() / kEndsOf);
  const double first = radii.head(end).mean();
  const double last = radii.tail(end).mean();
  const double large = std::max(first, last);
  return large > 0 ? std::min(kMostGrowth, large / std::max(std::min(first, last), kNothing * large)) : 1;
}

/// @return [blocks]
Vector block_means(const Vector& values, Index blocks) {
  const Index count = std::min(blocks, values.size());
  Vector means(count);
  for (Index i = 0; i < count; ++i) {
    const Index from = i * values.size() / count;
    means(i) = values.segment(from, (i + 1) * values.size() / count - from).mean();
  }
  return means;
}

double left_of_mean(const Vector& values) {
  return (values.array() - values.mean()).square().sum();
}

/// Rising or falling, whichever is nearer.
Vector one_way(const Vector& values) {
  const Vector even = Vector::Ones(values.size());
  const Vector rising = isotonic(values, even, Order::rising);
  const Vector falling = isotonic(values, even, Order::falling);
  return (values - rising).squaredNorm() <= (values - falling).squaredNorm() ? rising : falling;
}

struct Fit {
  double left = 0;  ///< squared, of all rows
  double radius_r2 = 0;
  Table path;  ///< [rows, 2], around its centre
  double turns = 0;
  double growth = 1;
  double one_step = 0;
};

Fit fitted(const Table& around, const std::vector<size_t>& at) {
  const Vector steady = steady_angles(around, at);
  const Table direction = directions_of(steady);
  const Vector along = around.cwiseProduct(direction).rowwise().sum();
  const double turns = turns_of(steady);
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
  best.one_step = growing_of(along).one_step;
  return best;
}

/// A circle at given angles around rows, by turns with its centre.
struct Circle {
  Vector angles;
  double r2 = 0;
};

Circle circle_of(Table around, const std::vector<size_t>& at) {
  around.rowwise() -= around.colwise().mean();
  const double all = around.squaredNorm();
  Circle best{.angles = Vector::Zero(around.rows())};
  if (all == 0) return best;
  for (int i = 0; i < kCentrings; ++i) {
    const Vector angles = steady_angles(around, at);
    const Table direction = directions_of(angles);
    const double radius = std::max(0.0, around.cwiseProduct(direction).rowwise().sum().mean());
    const Table left = around - radius * direction;
    const double r2 = 1 - left.squaredNorm() / all;
    if (r2 > best.r2) best = {.angles = angles, .r2 = r2};
    around.rowwise() -= left.colwise().mean();
  }
  return best;
}

/// Squared correlation.
double squared_correlation(const Vector& x, const Vector& y) {
  const Vector of_x = x.array() - x.mean();
  const Vector of_y = y.array() - y.mean();
  const double both = of_x.squaredNorm() * of_y.squaredNorm();
  return both > 0 ? of_x.dot(of_y) * of_x.dot(of_y) / both : 0;
}

}  // namespace

double roundness_of(const Eigen::Matrix2d& squares) {
  const Eigen::Vector2d axes = squares.selfadjointView<Eigen::Lower>().eigenvalues();
  return axes(1) > 0 ? std::sqrt(std::max(0.0, axes(0)) / axes(1)) : 0;
}

Growing growing_of(const Vector& radii) {
  const Vector means = block_means(radii, kRadiusBlocks);
  const double varied = left_of_mean(means);
  Growing growing;
  if (varied > 0) growing.r2 = 1 - (means - one_way(means)).squaredNorm() / varied;
  const Vector grown = one_way(block_means(radii, kStepBlocks));
  // A step may lie within a block, which is then on neither side.
  for (Index first = 1; first < grown.size(); ++first) {
    for (const Index between : {Index{0}, Index{1}}) {
      const Vector before = grown.head(first);
      const Vector behind = grown.tail(grown.size() - first - between);
      Vector both(before.size() + behind.size());
      both << before, behind;
      const double all = left_of_mean(both);
      if (all > 0) {
        growing.one_step = std::max(growing.one_step, 1 - (left_of_mean(before) + left_of_mean(behind)) / all);
      }
    }
  }
  return growing;
}

Winding winding_of(const PlacedRows& plane) {
  const Table& rows = plane.rows;
  require(rows.cols() == 2 && rows.rows() >= 3, "winding path", "expected 2 columns and 3 rows or more");
  Table around = rows.rowwise() - rows.colwise().mean();
  const double all = around.squaredNorm();
  Winding found;
  if (all == 0) return found;
  for (int i = 0; i < kCentrings; ++i) {
    const Fit fit = fitted(around, plane.at);
    const double r2 = 1 - fit.left / all;
    if (r2 > found.r2) {
      found = {
          .r2 = r2, .radius_r2 = fit.radius_r2, .turns = fit.turns, .growth = fit.growth, .one_step = fit.one_step};
    }
    around.rowwise() -= (around - fit.path).colwise().mean();
  }
  return found;
}

WindingHelix winding_helix_of(const PlacedRows& space) {
  const Table& rows = space.rows;
  require(rows.cols() == 3 && rows.rows() >= 5, "winding helix", "expected 3 columns and 5 rows or more");
  const Table around = rows.rowwise() - rows.colwise().mean();
  const Eigen::Matrix3d gram = around.transpose() * around;
  const Eigen::LDLT<Eigen::Matrix3d> solver(gram);
  WindingHelix found;
  // The axis is the direction that tells the angle best; until there is one, the position.
  Vector told(around.rows());
  for (Index i = 0; i < told.size(); ++i) told(i) = static_cast<double>(space.at[static_cast<size_t>(i)]);
  for (int i = 0; i < kCentrings; ++i) {
    const Eigen::Vector3d along = solver.solve(around.transpose() * (told.array() - told.mean()).matrix());
    if (!along.allFinite() || along.norm() == 0) break;
    const Eigen::Vector3d axis = along.normalized();
    const Eigen::Vector3d across = axis.unitOrthogonal();
    Table plane(around.rows(), 2);
    plane << around * across, around * axis.cross(across);
    const Circle circle = circle_of(plane, space.at);
    const double r2 = std::min(squared_correlation(circle.angles, around * axis), circle.r2);
    if (r2 > found.r2 && roundness_of(centred(plane).transpose() * centred(plane)) >= kLeastRoundness)
      found = {.r2 = r2, .turns = turns_of(circle.angles)};
    told = circle.angles;
  }
  return found;
}

}  // namespace path

}  // namespace summand::lab
