#include "lab/statistics/circles.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/statistics/subspaces.hpp"
#include "tests/lab/circle_tables.hpp"
#include "tests/lab/planted_outcome.hpp"

using namespace summand::lab;

namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

/// In a random frame of so many columns, under noise with so much of the energy.
Table under_noise(const Table& paths, size_t columns, double noise, const char* name) {
  summand::RandomStream stream(21, name);
  const auto rows = static_cast<size_t>(paths.rows());
  const double energy = paths.squaredNorm() / static_cast<double>(rows);
  const double deviation = std::sqrt(noise / (1 - noise) * energy / static_cast<double>(columns));
  return paths * random_frame(static_cast<size_t>(paths.cols()), columns, stream) +
         deviation * planted::gaussian(rows, columns, name);
}

/// One circle whose radius grows to so many times itself, in 256 rows of 60 turns.
Table widening(double times) {
  Table path = planted::circles(256, {60});
  for (Eigen::Index t = 0; t < path.rows(); ++t) path.row(t) *= 1 + (times - 1) * static_cast<double>(t) / 255;
  return path;
}

std::vector<double> degrees_of(const Circles& circles) {
  std::vector<double> degrees;
  for (const auto& circle : circles.circles) degrees.push_back(circle.pace * kDegrees);
  return degrees;
}

}  // namespace

TEST_CASE("planted circles are found, all of them, at their paces, under noise and drift") {
  for (const size_t count : {1, 3, 5}) {
    for (const auto& [rows, columns] : {std::pair<size_t, size_t>{256, 64}, {300, 41}}) {
      CAPTURE(count);
      const auto found = circles_of(placed_rows(planted::circle_ladder(count, rows, columns)));
      const auto turns = planted::turns_of(count, rows);
      REQUIRE(found.circles.size() == count);
      for (size_t i = 0; i < count; ++i) CHECK(found.circles[i].turns == doctest::Approx(turns[i]).epsilon(0.05));
      CHECK(found.share() > 0.75);  // of .8, the rest is noise; its own share of the planes comes on top
      CHECK(found.fitted_share > 0.75);
    }
  }
}

// Four of equal size in a ratio of 2.2, and six of equal size 9 and 4 degrees apart: earlier rules told of none, two
// and none.
TEST_CASE("circles of equal size are found in full, however many, by halves that did not find them") {
  const auto found = [](const std::vector<double>& degrees) {
    std::vector<double> turns;
    for (const double one : degrees) turns.push_back(one / 360 * 512);
    const auto circles = circles_of(placed_rows(under_noise(planted::circles(512, turns), 320, 0.06, "equal")));
    CHECK(circles.held_out[0] > 0.9);
    CHECK(circles.held_out[1] > 0.9);
    REQUIRE(circles.circles.size() == degrees.size());
    for (size_t i = 0; i < degrees.size(); ++i) {
      CHECK(degrees_of(circles)[i] == doctest::Approx(degrees[i]).epsilon(0.02));
    }
  };
  found({2, 4.4, 9.68, 21.3});
  found({4, 13, 22, 31, 40, 49});
  found({4, 8, 12, 16, 20, 24});
}

TEST_CASE("smooth and rough noise has no circles, and those of a sinusoid of BERT's kind lie too close") {
  for (const size_t columns : {32, 384}) {
    CHECK(circles_of(placed_rows(planted::walk(512, columns, "no circles"))).share() < 0.01);
    CHECK(circles_of(placed_rows(planted::smooth(512, columns, "no circles"))).share() < 0.05);
    CHECK(circles_of(placed_rows(planted::gaussian(512, columns, "no circles"))).share() < 0.01);
  }
  CHECK(circles_of(placed_rows(planted::sine(512, 192))).share() <
        circle_rule::kMostOf);  // its fastest are far enough apart
}

TEST_CASE("one plane whose pace rises far is no circle, one whose pace rises a little is") {
  for (const auto& [from, to] : {std::pair{8.0, 72.0}, {20.0, 60.0}}) {
    CHECK(circles_of(placed_rows(planted::rising_pace(512, from, to))).share() == 0);
  }
  CHECK(circles_of(placed_rows(planted::rising_pace(512, 36, 44))).share() > 0.9);
}

TEST_CASE("a path round once is no circle, and one that widens is a spiral") {
  for (const double turns : {0.5, 1.0, 1.5}) {
    CHECK(circles_of(placed_rows(under_noise(planted::circles(256, {turns}), 40, 0.01, "slow"))).share() == 0);
  }
  CHECK(circles_of(placed_rows(under_noise(planted::circles(256, {2.4}), 40, 0.01, "slow"))).share() > 0.9);
  CHECK(circles_of(placed_rows(under_noise(widening(1.4), 40, 0.01, "wide"))).share() > 0.9);
  CHECK(circles_of(placed_rows(under_noise(widening(3), 40, 0.01, "wide"))).share() == 0);
}

// What a judge who had not written the rule found.
TEST_CASE("what lies between the halves, a ramp and a wandering phase are no circles") {
  const Table circles = planted::circles(144, {4, 8, 17, 31});
  Table shifted(144, 9);
  shifted << circles, Vector::Zero(144);
  shifted.col(8).head(72).setConstant(8);
  CHECK(circles_of(placed_rows(under_noise(shifted, 96, 0.02, "shift"))).share() < 0.35);
  Table ramp(144, 9);
  ramp << circles, 8 * Vector::LinSpaced(144, -1, 1);
  CHECK(circles_of(placed_rows(under_noise(ramp, 96, 0.02, "ramp"))).share() < 0.35);
  summand::RandomStream stream(9, "phase walk");
  Table walk(256, 2);
  double phase = 0;
  for (Eigen::Index row = 0; row < walk.rows(); ++row) {
    walk.row(row) << std::cos(phase), std::sin(phase);
    phase += 0.4 + 0.65 * stream.normal();
  }
  CHECK(circles_of(placed_rows(under_noise(walk, 64, 0.05, "phase walk"))).share() == 0);
}

TEST_CASE("a rewriting of the table that a model does not notice moves no share") {
  const Table table = planted::circle_ladder(3, 200, 40);
  const auto before = circles_of(placed_rows(table));
  summand::RandomStream stream(4, "rewriting");
  Table turned = table * random_frame(40, 40, stream) / 32;
  turned.rowwise() += planted::gaussian(1, 40, "common").row(0);
  const auto after = circles_of(placed_rows(turned));
  CHECK(after.share() == doctest::Approx(before.share()).epsilon(1e-9));
  REQUIRE(after.circles.size() == before.circles.size());
}

TEST_CASE("what a plane lacks of a circle is told, and halves whose rows do not differ have none") {
  const auto slow = planes_of(placed_rows(planted::circles(256, {1.5, 40})), 0.1);
  REQUIRE(slow.size() == 2);
  CHECK(slow[0].fault == CircleFault::few_turns);
  CHECK_FALSE(slow[1].fault);
  CHECK(planes_of(placed_rows(widening(3)), 0).front().fault == CircleFault::radius_changes);
  const auto rising = planes_of(placed_rows(planted::rising_pace(512, 20, 60)), 0.1).front().fault;
  CHECK((rising == CircleFault::pace_changes || rising == CircleFault::phase_strays));
  Table half = planted::circles(256, {40});
  half.topRows(128).setZero();
  CHECK(circles_of(placed_rows(half)).share() == 0);
  CHECK(circles_of(placed_rows(Table::Zero(200, 8))).circles.empty());
  CHECK(circles_of(placed_rows(Table(4, 3).setRandom())).circles.empty());
}
