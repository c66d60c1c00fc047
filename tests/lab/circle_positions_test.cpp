#include "lab/experiments/circle_readers/circle_positions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "lab/statistics/moments.hpp"
#include "tests/lab/circle_models.hpp"

using namespace summand::lab;
using namespace summand::lab::circle_readers;
using namespace circle_models;

namespace {

constexpr double kRounding = 1e-9;

Table ordinary_rows(const Table& table, const CirclePositions& of) {
  std::vector<Index> ordinary;
  for (Index row = 0; row < table.rows(); ++row) {
    if (!std::ranges::binary_search(of.kept(), static_cast<size_t>(row))) ordinary.push_back(row);
  }
  return table(ordinary, Eigen::all);
}

/// Ordinary rows less their mean, along a plane's axes.
Table path_of(const Table& table, const CirclePositions& like, const PositionPlane& plane) {
  return centred(ordinary_rows(table, like)) * plane.axes.transpose();
}

Table outside(const Table& change, const PositionPlane& plane) {
  return change - change * plane.axes.transpose() * plane.axes;
}

double angle_of(const Table& path, Index row) {
  return std::atan2(path(row, 1), path(row, 0));
}

}  // namespace

TEST_CASE("the circles of a table are found, and no change touches row 0, the last, or what lies outside the plane") {
  const Table table = coordinate_circles();
  const CirclePositions positions(table);
  REQUIRE(positions.planes().size() == 3);
  CHECK(positions.kept() == std::vector<size_t>{0, kRows - 1});
  constexpr size_t kInUse = 101;
  for (size_t i = 0; i < 3; ++i) {
    const auto& plane = positions.planes()[i];
    CAPTURE(i);
    // The plane is that of the two columns.
    CHECK(plane.axes.middleCols(static_cast<Index>(2 * i), 2).squaredNorm() == doctest::Approx(2).epsilon(0.01));
    for (const Table& changed :
         {positions.stopped(std::span(&plane, 1), kInUse), positions.reversed(plane), positions.sped_up(plane)}) {
      const Table change = changed - table;
      CHECK(change.norm() > 1);
      CHECK(outside(change, plane).norm() < kRounding);
      for (const size_t row : positions.kept()) CHECK(change.row(static_cast<Index>(row)).isZero(0));
    }
  }
}

TEST_CASE("a stopped circle stands still where the rows in use have their mean, and nothing else does") {
  const Table table = coordinate_circles();
  const CirclePositions positions(table);
  constexpr Index kInUse = 101;
  const auto& plane = positions.planes()[1];
  const Table stopped = positions.stopped(std::span(&plane, 1), kInUse);
  const Eigen::RowVectorXd mean = table.middleRows(1, kInUse - 1).colwise().mean();
  for (const Index row : {Index{1}, Index{40}, kInUse - 1}) {
    CHECK(((stopped.row(row) - mean) * plane.axes.transpose()).norm() < kRounding);
  }
  // All rows in use have the mean that they had.
  CHECK((stopped.middleRows(1, kInUse - 1).colwise().mean() - mean).norm() < kRounding);
  const Table all = positions.stopped(positions.planes(), kInUse);
  CHECK((all.middleRows(1, 100).leftCols(6).rowwise() - mean.leftCols(6)).cwiseAbs().maxCoeff() < 0.05);
  const Table none = positions.without_order(kInUse);
  CHECK((none.middleRows(1, static_cast<Index>(kRows) - 2).rowwise() - mean).norm() < kRounding);
  CHECK(none.row(0) == table.row(0));
}

TEST_CASE("reversed twice is the table itself, and angles from the first ordinary row change their sign") {
  const Table table = coordinate_circles();
  const CirclePositions positions(table);
  for (const auto& plane : positions.planes()) {
    const Table reversed = positions.reversed(plane);
    CHECK((CirclePositions(reversed).reversed(plane) - table).norm() < kRounding);
    const Table before = path_of(table, positions, plane);
    const Table after = path_of(reversed, positions, plane);
    CHECK(angle_of(before, 0) == doctest::Approx(0).epsilon(kRounding));
    for (const Index row : {0, 3, 90}) {
      CHECK(angle_of(after, row) == doctest::Approx(-angle_of(before, row)));
      CHECK(after.row(row).norm() == doctest::Approx(before.row(row).norm()));
    }
  }
}

TEST_CASE("a circle that is sped up turns by twice the angle at each step, at the radius that it had") {
  const Table table = coordinate_circles();
  const CirclePositions positions(table);
  const auto& plane = positions.planes()[0];
  const Table before = path_of(table, positions, plane);
  // Doubling may move the mean row: angles are about the one before.
  const Table change = ordinary_rows(positions.sped_up(plane) - table, positions);
  const Table after = before + change * plane.axes.transpose();
  for (const Index row : {1, 7, 20}) {
    CHECK(std::remainder(angle_of(after, row) - 2 * angle_of(before, row), 2 * std::numbers::pi) ==
          doctest::Approx(0).epsilon(1e-6));
    CHECK(after.row(row).norm() == doctest::Approx(before.row(row).norm()));
  }
}

TEST_CASE("random planes cut the circles' span at right angles, and take as much of the variance as the circles") {
  const CirclePositions positions(coordinate_circles({4, 13, 40}));
  const auto planes = positions.random_planes(7, 0);
  REQUIRE(planes.size() == 3);
  Table own(6, kHidden);
  Table cut(6, kHidden);
  for (Index i = 0; i < 3; ++i) {
    own.middleRows(2 * i, 2) = positions.planes()[static_cast<size_t>(i)].axes;
    cut.middleRows(2 * i, 2) = planes[static_cast<size_t>(i)].axes;
  }
  CHECK((cut * cut.transpose()).isIdentity(kRounding));
  CHECK((cut * own.transpose() * own - cut).norm() < kRounding);
  for (size_t i = 0; i < 3; ++i) {
    const Table table = coordinate_circles();
    const double of_circle = path_of(table, positions, positions.planes()[i]).squaredNorm();
    const double of_plane = path_of(table, positions, planes[i]).squaredNorm();
    CHECK(planes[i].factor * planes[i].factor * of_plane == doctest::Approx(of_circle));
    // None is a circle's own.
    CHECK((planes[i].axes * positions.planes()[i].axes.transpose()).squaredNorm() < 1.9);
  }
  CHECK(positions.random_planes(7, 1).front().axes != planes.front().axes);
}

TEST_CASE("noise has no circles to change") {
  CHECK(CirclePositions(planted::gaussian(kRows, 32, "no circles")).planes().empty());
  CHECK(CirclePositions(planted::gaussian(40, 8, "few rows")).planes().empty());
  CHECK(CirclePositions(Table::Ones(kRows, 8)).planes().empty());
}
