#include "lab/statistics/step_motion.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "base/random_stream.hpp"
#include "lab/statistics/subspaces.hpp"
#include "tests/lab/circle_tables.hpp"

using namespace summand::lab;

namespace {

constexpr double kStepMotionRounding = 1e-9;
constexpr double kDegrees = 180 / std::numbers::pi;

/// The only plane of a table of one circle.
TurningPlane only_plane(const Table& table, const std::vector<size_t>& left_out = {}) {
  const auto rows = placed_rows(table, left_out);
  const StepMotion motion(rows);
  REQUIRE(motion.planes() == 1);
  return motion.plane(0, rows);
}

}  // namespace

TEST_CASE("the map of one step has planted circles' paces, in planes that hold them whole") {
  // Whole turns: centring takes nothing away.
  const std::vector<double> turns{3, 8, 21};
  for (const bool gaps : {false, true}) {
    CAPTURE(gaps);
    const Table table = planted::circles(120, turns);
    const auto rows = placed_rows(table, gaps ? std::vector<size_t>{0, 60} : std::vector<size_t>{});
    const StepMotion motion(rows);
    REQUIRE(motion.planes() == 3);
    // With rows left out the mean is not quite the circles' centre.
    const double tolerance = gaps ? 0.05 : kStepMotionRounding;
    double all = 0;
    for (size_t i = 0; i < 3; ++i) {
      const auto plane = motion.plane(i, rows);
      CHECK(plane.angle * kDegrees == doctest::Approx(3 * turns[i]).epsilon(tolerance));
      CHECK(plane.turns == doctest::Approx(turns[i] * static_cast<double>(rows.span()) / 120).epsilon(tolerance));
      CHECK(plane.share == doctest::Approx(1.0 / 3).epsilon(tolerance));
      CHECK(plane.radius == doctest::Approx(1).epsilon(tolerance));
      CHECK(plane.radius_variation < tolerance);
      CHECK((plane.axes * plane.axes.transpose()).isIdentity(kStepMotionRounding));
      all += plane.share;
      const Vector advances = phase_advances(plane, rows.at);
      CHECK(advances.sum() == doctest::Approx(plane.angle * static_cast<double>(rows.span() - 1)).epsilon(tolerance));
    }
    CHECK(all == doctest::Approx(1).epsilon(tolerance));
  }
}

TEST_CASE("circles of equal size are told apart by their paces, rows that were not fitted included") {
  const std::vector<double> turns{10, 13, 30, 33};
  summand::RandomStream stream(3, "equal circles");
  const Table table =
      planted::circles(400, turns) * random_frame(8, 50, stream) + 0.02 * planted::gaussian(400, 50, "equal circles");
  const auto all = placed_rows(table);
  const StepMotion motion(rows_between(all, 0, 200));
  const auto rest = rows_between(all, 200, 400);
  REQUIRE(motion.planes() >= turns.size());
  std::vector<double> found;
  for (size_t i = 0; i < motion.planes(); ++i) {
    const auto plane = motion.plane(i, rest);
    if (plane.radius_variation < 0.2) found.push_back(2 * plane.turns);
  }
  REQUIRE(found.size() == turns.size());
  for (size_t i = 0; i < turns.size(); ++i) CHECK(found[i] == doctest::Approx(turns[i]).epsilon(0.01));
}

TEST_CASE("a path that slows down has its mean pace") {
  Table table(200, 2);
  for (Eigen::Index t = 0; t < 200; ++t) {
    const double x = static_cast<double>(t) / 200;
    const double angle = 2 * std::numbers::pi * (20 * x + 2 * x * (1 - x));
    table.row(t) << std::cos(angle), std::sin(angle);
  }
  CHECK(only_plane(table).turns == doctest::Approx(20).epsilon(0.01));
}

TEST_CASE("the span of several planes is counted once") {
  const auto rows = placed_rows(planted::circles(120, {3, 8}));
  const StepMotion motion(rows);
  const auto axes = motion.plane(0, rows).axes;
  const double all = rows.rows.squaredNorm();
  CHECK(energy_in_span({}, rows.rows) == 0);
  CHECK(energy_in_span({axes}, rows.rows) == doctest::Approx(all / 2));
  CHECK(energy_in_span({axes, motion.plane(1, rows).axes}, rows.rows) == doctest::Approx(all));
}

TEST_CASE("a motion is refused where it cannot be had") {
  CHECK_THROWS_AS(StepMotion(placed_rows(planted::gaussian(2, 4, "refused"))), summand::UsageError);
  CHECK_THROWS_AS(StepMotion(placed_rows(Table::Ones(20, 4))), summand::UsageError);
  const std::vector<size_t> every_other{1, 3, 5, 7, 9, 11, 13, 15, 17, 19};
  CHECK_THROWS_AS(StepMotion(placed_rows(planted::gaussian(20, 4, "refused"), every_other)), summand::UsageError);
}

TEST_CASE("a circle's pace tells its phase over half the table, one that wanders as far as its steps allow") {
  constexpr Eigen::Index kRows = 4000;
  const auto coherence = [](const Table& table, const std::vector<size_t>& left_out) {
    return static_cast<double>(coherence_length(only_plane(table, left_out), placed_rows(table, left_out).at));
  };
  const auto turning = [&](double strays) {
    summand::RandomStream stream(7, "wandering phase");
    Table table(kRows, 2);
    double phase = 0;
    for (Eigen::Index t = 0; t < kRows; ++t) {
      table.row(t) << std::cos(phase), std::sin(phase);
      phase += 1.1 + strays * stream.normal();
    }
    return coherence(table, {0, 60});
  };
  CHECK(turning(0) == (kRows - 1) / 2);
  // Steps of deviation s keep a mean resultant length of exp(−k s²/2) over k of them: half of it at 2 log 2 / s².
  for (const double strays : {0.2, 0.3}) {
    CHECK(turning(strays) == doctest::Approx(2 * std::numbers::ln2 / (strays * strays)).epsilon(0.2));
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
  CHECK(coherence(jumps, {}) == doctest::Approx(16).epsilon(0.25));
}
