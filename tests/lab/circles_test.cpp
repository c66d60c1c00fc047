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

/// One circle whose radius grows to so many times itself, in 256 rows of 60 turns.
Table widening(double times) {
  Table path = planted::circles(256, {60});
  for (Eigen::Index t = 0; t < path.rows(); ++t) path.row(t) *= 1 + (times - 1) * static_cast<double>(t) / 255;
  return path;
}

/// One circle whose pace swings by a share of itself, so many times over the table.
Table wavering_pace(size_t rows, double turns, double by, double times) {
  Table path(rows, 2);
  double angle = 0;
  for (size_t t = 0; t < rows; ++t) {
    path.row(static_cast<Eigen::Index>(t)) << std::cos(angle), std::sin(angle);
    const double x = static_cast<double>(t) / static_cast<double>(rows);
    angle += 2 * std::numbers::pi * turns / static_cast<double>(rows) *
             (1 + by * std::sin(2 * std::numbers::pi * times * x));
  }
  summand::RandomStream stream(21, "wavering pace");
  return path * random_frame(2, 40, stream) + 0.01 * planted::gaussian(rows, 40, "wavering pace");
}

}  // namespace

TEST_CASE("planted circles are found, all of them, at their frequencies, under noise and drift") {
  for (const size_t count : {1, 3, 5}) {
    for (const auto& [rows, columns] : {std::pair<size_t, size_t>{256, 64}, {300, 41}}) {
      CAPTURE(count);
      const auto found = circles_of(placed_rows(planted::circle_ladder(count, rows, columns)));
      const auto turns = planted::turns_of(count, rows);
      REQUIRE(found.circles.size() == count);
      for (size_t i = 0; i < count; ++i) {
        CHECK(found.circles[i].plane.turns == doctest::Approx(turns[i]).epsilon(0.05));
      }
      CHECK(found.share > 0.75);  // of .8, the rest is noise; its own share of the planes comes on top
    }
  }
}

TEST_CASE("smooth and rough noise has no circles, nor has a sinusoidal table of BERT's kind") {
  CHECK(circles_of(placed_rows(planted::walk(256, 96, "no circles"))).share == 0);
  CHECK(circles_of(placed_rows(planted::smooth(256, 96, "no circles"))).share == 0);
  CHECK(circles_of(placed_rows(planted::gaussian(256, 96, "no circles"))).share == 0);
  CHECK(circles_of(placed_rows(planted::sine(512, 192))).share == 0);
}

TEST_CASE("one plane whose pace rises is no circle at its own pace, and none of any pace") {
  for (const auto& [from, to] : {std::pair{8.0, 72.0}, {20.0, 60.0}}) {
    const Table table = planted::rising_pace(512, from, to);
    const auto found = circles_of(placed_rows(table));
    CHECK(found.share == 0);
    CHECK(found.turning == 0);
  }
  // From turn to turn, though every quarter has the same pace.
  CHECK(circles_of(placed_rows(wavering_pace(512, 100, 0.54, 16))).share == 0);
  CHECK(circles_of(placed_rows(wavering_pace(512, 100, 0.1, 16))).share > 0.9);
  // The slowest of MiniLM's circles is at most 1.36 times as fast in one quarter as in another.
  CHECK(circles_of(placed_rows(planted::rising_pace(512, 36, 44))).share > 0.9);
}

TEST_CASE("a path round once is a slow circle or none, and one that widens is a spiral") {
  for (const double turns : {1.0, 1.5, 1.9}) {
    const auto found = circles_of(placed_rows(planted::circles(256, {turns})));
    CHECK(found.share == 0);
    CHECK(found.slow > 0.95);
  }
  CHECK(circles_of(placed_rows(planted::circles(256, {0.5}))).slow == 0);
  CHECK(circles_of(placed_rows(planted::circles(256, {2.2}))).slow == 0);
  CHECK(circles_of(placed_rows(widening(1.4))).share > 0.95);
  CHECK(circles_of(placed_rows(widening(2.1))).share == 0);
}

TEST_CASE("circles too near each other to be told apart go round all the same") {
  for (const auto& turns : std::vector<std::vector<double>>{{20, 28, 39}, {40, 56}, {8, 16, 24, 32, 40, 48}}) {
    const auto found = circles_of(placed_rows(planted::circles(256, turns)));
    CHECK(found.share < 0.5);
    CHECK(found.turning > 0.95);
  }
}
