#include "lab/statistics/step_rotation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "tests/lab/circle_tables.hpp"

using namespace summand::lab;

namespace {

constexpr double kRounding = 1e-9;
constexpr double kDegrees = 180 / std::numbers::pi;

}  // namespace

TEST_CASE("the step rotation turns planted circles by their angles, in planes that hold them whole") {
  // Whole turns: centring takes nothing away.
  const std::vector<double> turns{3, 8, 21};
  for (const bool gaps : {false, true}) {
    const Table table = planted::circles(120, turns);
    const auto rows = placed_rows(table, gaps ? std::vector<size_t>{0, 60} : std::vector<size_t>{});
    const StepRotation step(rows, 6);
    REQUIRE(step.components() == 6);
    const auto planes = step.planes(6);
    REQUIRE(planes.size() == 3);
    // With rows left out the mean is not quite the circles' centre.
    const double tolerance = gaps ? 0.05 : kRounding;
    for (size_t i = 0; i < 3; ++i) {
      CHECK(planes[i].angle * kDegrees == doctest::Approx(3 * turns[i]).epsilon(tolerance));
      CHECK(planes[i].turns == doctest::Approx(turns[i] * static_cast<double>(rows.span()) / 120).epsilon(tolerance));
      CHECK(planes[i].share == doctest::Approx(1.0 / 3).epsilon(tolerance));
      CHECK(planes[i].radius == doctest::Approx(1).epsilon(tolerance));
      CHECK(planes[i].radius_variation < tolerance);
      CHECK(planes[i].drift < tolerance);
      const Table directions = step.directions(planes[i]);
      CHECK((directions * directions.transpose()).isIdentity(kRounding));
      const Vector advances = phase_advances(planes[i], rows.at);
      CHECK(advances.sum() ==
            doctest::Approx(planes[i].angle * static_cast<double>(rows.span() - 1)).epsilon(tolerance));
      // The slope of the least-squares line, gaps or not.
      const double turned = pace_between(advances, rows.at, 0, rows.at.size());
      CHECK(turned == doctest::Approx(planes[i].pace).epsilon(kRounding));
    }
    CHECK(step.skill(6, 5) > 1 - tolerance);
  }
}

TEST_CASE("a path that slows down has its mean pace and a drift") {
  Table table(200, 2);
  for (Eigen::Index t = 0; t < 200; ++t) {
    const double x = static_cast<double>(t) / 200;
    const double angle = 2 * std::numbers::pi * (20 * x + 2 * x * (1 - x));
    table.row(t) << std::cos(angle), std::sin(angle);
  }
  const auto plane = StepRotation(placed_rows(table), 2).planes(2).front();
  CHECK(plane.turns == doctest::Approx(20).epsilon(0.01));
  // A parabola less its best line: 2 / √180.
  CHECK(plane.drift == doctest::Approx(2 / std::sqrt(180)).epsilon(0.05));
}

TEST_CASE("a rotation of every step is refused where it cannot be had") {
  const Table table = planted::gaussian(20, 4, "refused");
  const StepRotation step(placed_rows(table), 4);
  CHECK_THROWS_AS(static_cast<void>(step.planes(5)), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(step.planes(0)), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(step.skill(4, 1)), summand::UsageError);
  const std::vector<size_t> every_other{1, 3, 5, 7, 9, 11, 13, 15, 17, 19};
  CHECK_THROWS_AS(static_cast<void>(StepRotation(placed_rows(table, every_other), 4).planes(2)), summand::UsageError);
}
