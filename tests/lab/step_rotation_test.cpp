#include "lab/statistics/step_rotation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "base/random_stream.hpp"
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

TEST_CASE("a circle's pace tells its phase over half the table, one that wanders as far as its steps allow") {
  constexpr Eigen::Index kRows = 4000;
  const std::vector<size_t> left_out{0, 60};
  const auto turning = [&](double strays) {
    summand::RandomStream stream(7, "wandering phase");
    Table table(kRows, 2);
    double phase = 0;
    for (Eigen::Index t = 0; t < kRows; ++t) {
      table.row(t) << std::cos(phase), std::sin(phase);
      phase += 1.1 + strays * stream.normal();
    }
    const auto rows = placed_rows(table, left_out);
    return coherence_length(StepRotation(rows, 2).planes(2).front(), rows.at);
  };
  CHECK(turning(0) == (kRows - 1) / 2);
  // Steps of deviation s keep a mean resultant length of exp(−k s²/2) over k of them: half of it at 2 log 2 / s².
  for (const double strays : {0.2, 0.3}) {
    CHECK(static_cast<double>(turning(strays)) ==
          doctest::Approx(2 * std::numbers::ln2 / (strays * strays)).epsilon(0.2));
  }
  // Jumps every 32 rows: a pair that far apart lies on both sides of one.
  summand::RandomStream stream(8, "jumping phase");
  Table jumps(kRows, 2);
  double jump = 0;
  for (Eigen::Index t = 0; t < kRows; ++t) {
    if (t % 32 == 0) jump = 2 * std::numbers::pi * stream.uniform();
    const double phase = jump + 1.1 * static_cast<double>(t);
    jumps.row(t) << std::cos(phase), std::sin(phase);
  }
  const auto rows = placed_rows(jumps);
  const auto coherent = static_cast<double>(coherence_length(StepRotation(rows, 2).planes(2).front(), rows.at));
  CHECK(coherent == doctest::Approx(16).epsilon(0.25));
}
