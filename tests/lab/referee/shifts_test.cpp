// 3.5, 4.5, 4.11 and E4 on tables whose truth is known.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/plant/planted_tables.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"
#include "tests/lab/planted.hpp"
#include "tests/lab/planted_outcome.hpp"

using namespace summand::lab;
using planted::Outcome;
using planted::outcome_of;
using planted::subject_of;

namespace {

constexpr size_t kRows = 320;
constexpr size_t kColumns = 96;
constexpr uint64_t kSeeds[]{0, 1, 2};

Table drawn(PlantedTable kind, PlantedTableSettings settings = {}) {
  settings.rows = kRows;
  settings.columns = kColumns;
  summand::RandomStream stream(7, "referee: shifts");
  return planted_table(kind, settings, stream);
}

/// Circles as MiniLM's table has them, whose paces drift.
Table learned_circles() {
  return drawn(PlantedTable::clocks, {.circles = 5, .ratio = 3, .drift = 0.05, .noise = 0.2});
}

Table of_source(PlantedTable kind, const Table& source) {
  summand::RandomStream stream(8, "referee: of a source");
  return planted_table(kind, {.source = &source}, stream);
}

struct Named {
  std::string name;
  Table table;
};

/// A step is one motion, exactly.
std::vector<Named> exact() {
  std::vector<Named> tables{{"sinusoid", drawn(PlantedTable::sinusoid)},
                            {"32 equal frequencies", drawn(PlantedTable::equal_frequencies, {.frequencies = 32})},
                            {"8 equal frequencies", drawn(PlantedTable::equal_frequencies, {.frequencies = 8})}};
  // The same function: a vector moved to the tokens, all tables a 32nd.
  Table shifted = tables.front().table;
  shifted.rowwise() += 5 * planted::gaussian(1, kColumns, "shift").row(0);
  tables.push_back({"sinusoid, rewritten", shifted / 32});
  return tables;
}

/// Nothing was put in but a lag kernel.
std::vector<Named> kernels() {
  const Table circles = learned_circles();
  const Table sine = drawn(PlantedTable::sinusoid);
  return {{"kernel of circles", of_source(PlantedTable::kernel_matched, circles)},
          {"joint phases of circles", of_source(PlantedTable::joint_phases, circles)},
          {"kernel of a sinusoid", of_source(PlantedTable::kernel_matched, sine)},
          {"joint phases of a sinusoid", of_source(PlantedTable::joint_phases, sine)},
          {"band", drawn(PlantedTable::band, {.low = 10, .high = 17})},
          {"walk", drawn(PlantedTable::walk)},
          {"smooth", drawn(PlantedTable::smooth)},
          {"white", drawn(PlantedTable::white)}};
}

Outcome judged(const Experiment& experiment, const Table& table, const std::string& claim, uint64_t seed) {
  auto outcome = outcome_of(experiment, subject_of(table), {.seed = seed, .quick = true, .threads = 2});
  MESSAGE(outcome.verdicts.at(claim).reason.en);
  return outcome;
}

/// All rows move alike at a step: 3.5, 4.11 and 4.5 find it.
void check_one_motion(const Table& table, uint64_t seed) {
  CHECK(judged(relative_position_experiment(), table, "3.5", seed).observation("3.5") == Observation::holds);
  const auto readings = judged(shift_readings_experiment(), table, "4.11", seed);
  CHECK(readings.observation("4.11") == Observation::holds);
  CHECK(readings.inference("4.11") == Inference::follows);
  CHECK(judged(toeplitz_experiment(), table, "4.5", seed).inference("4.5") == Inference::follows);
}

}  // namespace

TEST_CASE("3.5, 4.11, 4.5: a step that is one motion is found, however it is written") {
  for (const auto& [name, table] : exact()) {
    CAPTURE(name);
    check_one_motion(table, kSeeds[0]);
  }
}

TEST_CASE("3.5, 4.11, 4.5: a step that is one motion is found for other seeds too" * doctest::test_suite("long")) {
  for (const auto& [name, table] : exact()) {
    for (const uint64_t seed : {kSeeds[1], kSeeds[2]}) {
      CAPTURE(name);
      CAPTURE(seed);
      check_one_motion(table, seed);
    }
  }
}

TEST_CASE("3.5, 4.11, 4.5: what a lag kernel gives any table is no more than that" * doctest::test_suite("long")) {
  for (const auto& [name, table] : kernels()) {
    for (const uint64_t seed : kSeeds) {
      CAPTURE(name);
      CAPTURE(seed);
      CHECK(judged(relative_position_experiment(), table, "3.5", seed).observation("3.5") != Observation::holds);
      if (name == "walk") continue;  // its distances are of n − m, as those of any table whose steps are alike
      const auto readings = judged(shift_readings_experiment(), table, "4.11", seed);
      CHECK(readings.observation("4.11") != Observation::holds);
      CHECK(readings.inference("4.11") != Inference::follows);
      CHECK(judged(toeplitz_experiment(), table, "4.5", seed).inference("4.5") != Inference::follows);
    }
  }
}

TEST_CASE("3.5: steps that keep distances for a while, but are not one motion, are not told to be") {
  // Rows that grow evenly from 1 to 3 times: a step of few positions hardly grows, all steps together do.
  summand::RandomStream stream(7, "growing sinusoid");
  Table growing = planted_table(PlantedTable::sinusoid, {.rows = 512, .columns = 64}, stream);
  for (Eigen::Index i = 0; i < growing.rows(); ++i) growing.row(i) *= 1 + 2 * static_cast<double>(i) / 511;
  const auto outcome = judged(relative_position_experiment(), growing, "3.5", 0);
  CHECK(outcome.observation("3.5") == Observation::cannot_be_told);
  CHECK(judged(shift_readings_experiment(), growing, "4.11", 0).observation("4.11") != Observation::holds);
}

TEST_CASE("E4: a ring is no spiral, at whatever pace it is walked, and its pace is told") {
  for (const double turns : {3.0, 40.0, 90.0, 150.0}) {
    CAPTURE(turns);
    const auto outcome = judged(path_experiment(), drawn(PlantedTable::ring, {.turns = turns, .noise = 0.05}), "E4", 0);
    CHECK(outcome.observation("E4") == Observation::holds);
    CHECK(outcome.value("E4", "ring_share") > 0.9);
    const double degrees = 360 * turns / kRows;
    CHECK(outcome.value("E4", "degrees_per_step") == doctest::Approx(degrees).epsilon(0.05));
  }
}

TEST_CASE("E4: a spiral is found in equal steps as well, from either end" * doctest::test_suite("long")) {
  constexpr Eigen::Index kSpiralRows = 400;
  for (const double turns : {8.0, 30.0}) {
    CAPTURE(turns);
    Table path(kSpiralRows, 2);
    for (Eigen::Index t = 0; t < kSpiralRows; ++t) {
      const double root =
          std::sqrt(static_cast<double>(t) / kSpiralRows);  // the radius: every step along the arm is as long
      const double angle = 2 * std::numbers::pi * turns * root;
      path.row(t) << root * std::cos(angle), root * std::sin(angle);
    }
    summand::RandomStream stream(3, "archimedean spiral");
    const Table table = path * random_frame(2, 48, stream) + 0.01 * white_noise({kSpiralRows, 48}, stream);
    for (const Table& one : {table, Table(table.colwise().reverse())}) {
      CHECK(judged(path_experiment(), one, "E4", 0).observation("E4") == Observation::fails);
    }
  }
}

namespace {

using Place = Eigen::RowVector2d;

/// A path in a plane or in space, in random directions of so many columns, under a little noise.
template <class Path>
Table laid_out(const Path& path, size_t columns = 48) {
  constexpr Eigen::Index kPathRows = 400;
  constexpr Eigen::Index kDimensions = decltype(path(0.0))::SizeAtCompileTime;
  Table places(kPathRows, kDimensions);
  for (Eigen::Index t = 0; t < kPathRows; ++t) places.row(t) = path(static_cast<double>(t) / kPathRows);
  summand::RandomStream stream(3, "laid out");
  return places * random_frame(static_cast<size_t>(kDimensions), columns, stream) +
         0.01 * white_noise({kPathRows, columns}, stream);
}

Place on_circle(double radius, double turns) {
  const double angle = 2 * std::numbers::pi * turns;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace

TEST_CASE("E4: a spiral is found at whatever pace it is walked, and wherever it starts" * doctest::test_suite("long")) {
  for (const double power : {0.7, 1.5, 2.0, 3.0}) {
    CAPTURE(power);
    const auto outcome = judged(
        path_experiment(), laid_out([&](double t) { return on_circle(1 + 4 * t, 30 * std::pow(t, power)); }), "E4", 0);
    CHECK(outcome.observation("E4") == Observation::fails);
    CHECK(outcome.value("E4", "radius_growth") > 3);
  }
  for (const double start : {0.05, 0.15}) {  // equal steps from beside the centre: the squared radius grows evenly
    CAPTURE(start);
    const auto course = [&](double t) {
      const double radius = std::sqrt(start + t);
      return on_circle(radius, 40 * radius);
    };
    CHECK(judged(path_experiment(), laid_out(course), "E4", 0).observation("E4") == Observation::fails);
  }
  const auto inwards = [](double t) { return on_circle(std::exp(-3 * t), 12 * t); };
  CHECK(judged(path_experiment(), laid_out(inwards), "E4", 0).observation("E4") == Observation::fails);
}

TEST_CASE("E4: what swings to and fro is neither a spiral nor a helix, and is no circle") {
  const auto line = [](double t) { return Place((1 + 5 * t) * std::cos(2 * std::numbers::pi * 20 * t), 0); };
  const auto wave = [](double t) { return Place(3 * t, 0.8 * std::cos(2 * std::numbers::pi * 10 * t)); };
  for (const Table& table : {laid_out(line), laid_out(wave)}) {
    const auto outcome = judged(path_experiment(), table, "E4", 0);
    CHECK(outcome.observation("E4") == Observation::holds);
    CHECK(outcome.value("E4", "spiral_r2") < 0.5);
    CHECK(outcome.value("E4", "helix_r2") < 0.5);
    CHECK(outcome.value("E4", "ring_share") < 0.5);
  }
}

TEST_CASE("E4: a radius that comes and goes, by a narrow ellipse or along the path, makes no spiral" *
          doctest::test_suite("long")) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const auto ellipse = [](double t) {
    return Place((1 + 3 * t) * 10 * std::cos(kTurn * 10 * t), (1 + 3 * t) * std::sin(kTurn * 10 * t));
  };
  const auto once = [](double t) { return on_circle(2 - std::cos(kTurn * t), 20 * t); };
  const auto twice = [](double t) { return on_circle(2 - std::cos(2 * kTurn * t), 40 * t); };
  for (const Table& table : {laid_out(ellipse), laid_out(once), laid_out(twice)}) {
    const auto outcome = judged(path_experiment(), table, "E4", 0);
    CHECK(outcome.observation("E4") == Observation::holds);
  }
  CHECK(judged(path_experiment(), laid_out(once), "E4", 0).value("E4", "radius_growth") < 1.2);
}

TEST_CASE("E4: a ring that steps once to another, or grows and shrinks, is told to be no spiral and no other thing" *
          doctest::test_suite("long")) {
  const auto observed = [](double (*radius)(double), double turns) {
    const Table table = laid_out([=](double t) { return on_circle(radius(t), turns * t); });
    return judged(path_experiment(), table, "E4", 0).observation("E4");
  };
  const auto first_rows = [](double t) { return t < 30.0 / 512 ? 0.4 : 1.0; };
  const auto first_quarter = [](double t) { return t < 0.25 ? 0.4 : 1.0; };
  const auto half = [](double t) { return t < 0.5 ? 2.0 : 5.0; };
  const auto there_and_half_back = [](double t) { return t < 0.5 ? 2 + 12 * t : 8 - 8 * (t - 0.5); };
  for (const double turns : {6.0, 25.0, 80.0}) {
    CAPTURE(turns);
    for (const auto radius : {+first_rows, +first_quarter, +half, +there_and_half_back}) {
      CHECK(observed(radius, turns) != Observation::fails);
    }
    const auto grows = [](double t) { return 1 + 3 * t; };
    CHECK(observed(grows, turns) == Observation::fails);
  }
}

TEST_CASE("E4: a ring that shrinks and comes back at its end, or steps within a block, is told to be no spiral" *
          doctest::test_suite("long")) {
  for (const auto& [turn, least, last] : {std::array{0.9, 0.5, 2.0}, {0.9, 0.2, 2.0}, {0.75, 0.2, 1.4}}) {
    CAPTURE(least);
    CAPTURE(last);
    const auto course = [turn = turn, least = least, last = last](double t) {
      const double radius = t < turn ? 2 + (least - 2) * t / turn : least + (last - least) * (t - turn) / (1 - turn);
      return on_circle(radius, 7 * t);
    };
    const auto outcome = judged(path_experiment(), laid_out(course), "E4", 0);
    CHECK(outcome.observation("E4") == Observation::cannot_be_told);
    CHECK(outcome.value("E4", "near_r2") > 0.8);
  }
  // Five circles, of which the first twelve rows are three times as long.
  Table circles = drawn(PlantedTable::clocks, {.circles = 5, .ratio = 1.8, .drift = 0, .noise = 0.001});
  circles.topRows(12) *= 3;
  CHECK(judged(path_experiment(), circles, "E4", 0).observation("E4") != Observation::fails);
}

TEST_CASE("E4: a spiral is not cut off because its first rows are shorter than most" * doctest::test_suite("long")) {
  const auto settles = [](double t) { return on_circle(std::min(2 + 16 * t, 6.0), 8 * t); };
  const auto constant_at_last = [](double t) { return on_circle(t < 0.3 ? 1 + 20 * t : 7, 10 * t); };
  for (const Table& table : {laid_out(settles), laid_out(constant_at_last)}) {
    CHECK(judged(path_experiment(), table, "E4", 0).observation("E4") != Observation::holds);
  }
}

TEST_CASE("E4: a helix is found at whatever pace it is walked, and a flat one is none" * doctest::test_suite("long")) {
  const auto course = [](double flatness, double power) {
    return laid_out([=](double t) {
      const double along = std::pow(t, power);
      const Place across = on_circle(1, 12 * along);
      return Eigen::RowVector3d(across(0), flatness * across(1), 3 * along);
    });
  };
  for (const double power : {0.7, 1.0, 1.5, 2.5}) {
    CAPTURE(power);
    const auto outcome = judged(path_experiment(), course(1, power), "E4", 0);
    CHECK(outcome.observation("E4") == Observation::fails);
    CHECK(outcome.value("E4", "helix_r2") > 0.95);
  }
  CHECK(judged(path_experiment(), course(0.1, 2), "E4", 0).observation("E4") == Observation::holds);
}

TEST_CASE("E4: a path goes on across rows that are left out" * doctest::test_suite("long")) {
  // Eight rows stand out. From the last before them to the first behind goes three quarters of a turn.
  Table table = laid_out([](double t) { return on_circle(1 + 4 * t, 400.0 / 12 * t); });
  table.middleRows(200, 8) *= 40;
  const auto outcome = judged(path_experiment(), table, "E4", 0);
  CHECK(outcome.observation("E4") == Observation::fails);
  CHECK(outcome.value("E4", "winding_r2") > 0.99);
}

TEST_CASE("E4: what misses the definition of a spiral or a helix by little is not judged" *
          doctest::test_suite("long")) {
  const auto grows = [](double times) {
    return laid_out([=](double t) { return on_circle(1 + (times - 1) * t, 10 * std::pow(t, 1.5)); });
  };
  const auto helix = [](double turns) {
    return laid_out([=](double t) {
      const Place across = on_circle(1, turns * t * t);
      return Eigen::RowVector3d(across(0), across(1), 2 * t * t);
    });
  };
  const auto observed = [](const Table& table) { return judged(path_experiment(), table, "E4", 0).observation("E4"); };
  CHECK(observed(grows(1.2)) == Observation::holds);
  CHECK(observed(grows(1.8)) == Observation::cannot_be_told);
  CHECK(observed(grows(3)) == Observation::fails);
  CHECK(observed(helix(3)) == Observation::cannot_be_told);
  CHECK(observed(helix(6)) == Observation::fails);
  // Of few turns, at an even pace.
  const auto of_few_turns = [](double times) {
    return laid_out([=](double t) { return on_circle(1 + (times - 1) * t, 3 * t); });
  };
  CHECK(observed(of_few_turns(1.2)) == Observation::holds);
  CHECK(observed(of_few_turns(1.9)) == Observation::cannot_be_told);
  CHECK(observed(of_few_turns(2.5)) == Observation::fails);
}

TEST_CASE("E4: a ring whose pace rises is none that grows, and few uneven turns of a spiral are not judged" *
          doctest::test_suite("long")) {
  const auto observed = [](double turns, double growth, double (*pace)(double)) {
    const Table table = laid_out([=](double t) { return on_circle(1 + (growth - 1) * t, turns * pace(t)); });
    return judged(path_experiment(), table, "E4", 0).observation("E4");
  };
  const auto rising = [](double t) { return std::pow(t, 1.5); };
  const auto swinging = [](double t) { return t + 0.12 * std::sin(2 * std::numbers::pi * t); };
  const auto falling = [](double t) { return std::sqrt(t); };
  for (const double growth : {1.0, 1.1, 1.3}) {
    CAPTURE(growth);
    CHECK(observed(2.2, growth, rising) == Observation::holds);
  }
  CHECK(observed(2.2, 1.7, rising) == Observation::cannot_be_told);
  for (const double growth : {1.7, 3.0, 5.0}) {
    CAPTURE(growth);
    CHECK(observed(3, growth, swinging) == Observation::cannot_be_told);
    CHECK(observed(2.3, growth, falling) == Observation::cannot_be_told);
  }
}

TEST_CASE("E4: a spiral that noise hides by half is not judged" * doctest::test_suite("long")) {
  summand::RandomStream stream(3, "hidden spiral");
  for (const double growth : {1.8, 2.2}) {
    CAPTURE(growth);
    const Table spiral = laid_out([=](double t) { return on_circle(1 + (growth - 1) * t, 3 * t); });
    const double size = std::sqrt(spiral.squaredNorm() / static_cast<double>(spiral.size()));
    const Table noisy = spiral + 3 * size * white_noise({400, 48}, stream);  // of which two of 48 lie in its plane
    CHECK(judged(path_experiment(), noisy, "E4", 0).observation("E4") == Observation::cannot_be_told);
  }
}

TEST_CASE("E4: whether two dimensions are too few is told by what two show, spiral or not" *
          doctest::test_suite("long")) {
  const auto told = [](const Table& table) { return judged(path_experiment(), table, "E4", 0).verdicts.at("E4"); };
  const Verdict ring = told(drawn(PlantedTable::ring, {.turns = 90, .noise = 0.01}));
  CHECK(ring.observation == Observation::holds);
  CHECK(ring.conclusion == Truth::false_here);
  const Verdict sine = told(drawn(PlantedTable::equal_frequencies, {.frequencies = 32}));
  CHECK(sine.conclusion == Truth::true_here);
  // Of two circles one side each: their means by distance are those of all four dimensions, they themselves are not.
  const Verdict sides = told(laid_out([](double t) {
    const Place slow = on_circle(1, 3.3 * t);
    const Place fast = on_circle(1, 7.7 * t);
    return Eigen::RowVector4d(slow(0), 0.98 * fast(0), 0.9 * slow(1), 0.88 * fast(1));
  }));
  CHECK(sides.conclusion != Truth::false_here);
  // The slow circle, in two dimensions, shows far distances; near ones are told by the fast circles outside.
  for (const double radius : {0.15, 0.3, 0.5}) {
    CAPTURE(radius);
    const Verdict beside = told(laid_out([radius](double t) {
      const Place slow = on_circle(1, 1.2 * t);
      const Place fast = on_circle(radius, 24 * t);
      return Eigen::RowVector4d(slow(0), slow(1), fast(0), fast(1));
    }));
    CHECK(beside.inference == Inference::not_tested);
    CHECK(beside.conclusion != Truth::false_here);
  }
  // Of a helix two components show one side of the circle: its near distances as means, not as they are.
  for (const double height : {3.0, 5.0}) {
    CAPTURE(height);
    const Verdict helix = told(laid_out([height](double t) {
      const Place across = on_circle(1, 25 * t);
      return Eigen::RowVector3d(across(0), across(1), height * (2 * t - 1));
    }));
    CHECK(helix.inference == Inference::not_tested);
    CHECK(helix.conclusion != Truth::false_here);
  }
  // Noise lowers what all rows tell: what two show of that is no more for it.
  summand::RandomStream stream(9, "noise over a ring");
  const Table ring_of_noise = drawn(PlantedTable::ring, {.turns = 20, .noise = 0}) * 0.5 +
                              white_noise({.rows = kRows, .columns = kColumns}, stream);
  CHECK(told(ring_of_noise).conclusion != Truth::false_here);
}

TEST_CASE("4.11, 3.5, 4.5: what the rows tell only without a few that are far longer is not told of the table") {
  Table table = drawn(PlantedTable::sinusoid);
  for (const Eigen::Index row : {40, 90, 200, 280}) table.row(row) *= 12;
  const auto readings = judged(shift_readings_experiment(), table, "4.11", 0);
  CHECK(readings.value("4.11", "by_distance") > 0.99);  // they are left out
  CHECK(readings.value("4.11", "by_distance_without_row_0") < 0.5);
  CHECK(readings.observation("4.11") == Observation::cannot_be_told);
  CHECK(readings.inference("4.11") == Inference::not_tested);
  CHECK(judged(relative_position_experiment(), table, "3.5", 0).observation("3.5") == Observation::cannot_be_told);
  CHECK(judged(toeplitz_experiment(), table, "4.5", 0).inference("4.5") == Inference::not_tested);
  // Row 0, which may lie in [CLS]'s token row, is no such row.
  Table first = drawn(PlantedTable::sinusoid);
  first.row(0) *= 12;
  CHECK(judged(shift_readings_experiment(), first, "4.11", 0).observation("4.11") == Observation::holds);
}

TEST_CASE("3.5: a step that is a linear function and no motion does not fail" * doctest::test_suite("long")) {
  summand::RandomStream stream(0, "no motion");
  const Table circles =
      planted_table(PlantedTable::clocks, {.rows = 512, .columns = 48, .drift = 0, .noise = 0.01}, stream);
  Table ellipses = circles;
  ellipses.leftCols(24) *= 0.3;
  const Table mixed = circles * white_noise({48, 48}, stream);
  for (const Table& table : {ellipses, mixed}) {
    const auto outcome = judged(relative_position_experiment(), table, "3.5", 0);
    CHECK(outcome.observation("3.5") == Observation::cannot_be_told);
    CHECK(outcome.value("3.5", "linear_32") > 0.95);
  }
  // Five ellipses, and a little noise: tables of the same kernel are linear too, and noise decides which is more so.
  summand::RandomStream circles_stream(1, "ellipses under noise");
  Table noisy =
      planted_table(PlantedTable::clocks, {.rows = 512, .columns = 48, .drift = 0, .noise = 0.05}, circles_stream);
  noisy.leftCols(24) *= 0.3;
  const auto under_noise = judged(relative_position_experiment(), noisy, "3.5", 0);
  CHECK(under_noise.observation("3.5") == Observation::cannot_be_told);
  const auto outcome = judged(relative_position_experiment(), planted::gaussian(512, 48, "no step"), "3.5", 0);
  CHECK(outcome.observation("3.5") == Observation::fails);
}

TEST_CASE("4.11: an exact ring tells n − m, however far round a step takes it" * doctest::test_suite("long")) {
  // At some of them a factor is exact at one k: after half a turn it is −1.
  for (const double turns : {5.0, 20.0, 40.0, 60.0, 90.0, 128.0}) {
    CAPTURE(turns);
    const Table ring = drawn(PlantedTable::ring, {.turns = turns, .noise = 0});
    CHECK(judged(shift_readings_experiment(), ring, "4.11", 0).observation("4.11") == Observation::holds);
  }
}

TEST_CASE("4.11, 4.5: what misses an exact share by a hair does not fail, however exact tables of its kernel are" *
          doctest::test_suite("long")) {
  constexpr size_t kWide = 384;  // so many columns with one kernel are nearly a circle, or a line, each time
  const auto ellipse = [](double t) {
    const Place place = on_circle(10, 20 * t);
    return Place(place(0), 0.85 * place(1));
  };
  const auto parabola = [](double t) { return Place(20 * t, 20 * t * t); };
  for (const Table& table : {laid_out(ellipse, kWide), laid_out(parabola, kWide)}) {
    const auto outcome = judged(shift_readings_experiment(), table, "4.11", 0);
    const Number& share = outcome.findings.numbers.at("4.11").at("by_distance");
    CHECK(share.value < share.null->interval->low);
    CHECK(outcome.observation("4.11") == Observation::cannot_be_told);
    CHECK(outcome.inference("4.11") != Inference::does_not_follow);
    CHECK(judged(toeplitz_experiment(), table, "4.5", 0).inference("4.5") != Inference::does_not_follow);
  }
}

TEST_CASE("3.5, 4.11, 4.5: what noise leaves of an exact table is not judged by its size alone" *
          doctest::test_suite("long")) {
  summand::RandomStream stream(4, "half hidden");
  Table table = planted_table(PlantedTable::equal_frequencies, {.rows = 512, .columns = 64, .frequencies = 16}, stream);
  const double size = std::sqrt(table.squaredNorm() / static_cast<double>(table.size()));
  table += 0.7 * size * white_noise({512, 64}, stream);
  const auto readings = judged(shift_readings_experiment(), table, "4.11", 0);
  CHECK(readings.value("4.11", "by_distance") < 0.5);
  CHECK(readings.observation("4.11") == Observation::cannot_be_told);
  CHECK(readings.inference("4.11") == Inference::not_tested);
  CHECK(judged(toeplitz_experiment(), table, "4.5", 0).inference("4.5") == Inference::not_tested);
  CHECK(judged(relative_position_experiment(), table, "3.5", 0).observation("3.5") == Observation::cannot_be_told);
}

TEST_CASE("4.11: a line has a constant difference, however much noise lies over its steps") {
  const Table course = Eigen::VectorXd::LinSpaced(kRows, -1, 1) * planted::gaussian(1, kColumns, "line").row(0);
  for (const double noise : {0.003, 0.01, 0.1, 0.2}) {
    CAPTURE(noise);
    const auto outcome =
        judged(shift_readings_experiment(), course + noise * planted::gaussian(kRows, kColumns, "noise"), "4.11", 0);
    CHECK(outcome.observation("4.11") == Observation::cannot_be_told);
    CHECK(outcome.verdicts.at("4.11").number == "difference_left_32");
  }
}

TEST_CASE("E3, 4.6: what row 0 holds, which could stand in [CLS]'s token row, changes no verdict") {
  const Table table = learned_circles();
  for (const double length : {0.0, 3.0, 20.0, 100.0}) {
    CAPTURE(length);
    Table moved = table;
    moved.row(0) += length * table.row(1).norm() * Eigen::RowVectorXd::Ones(table.cols()).normalized();
    CHECK(judged(spectrum_experiment(), moved, "E3", 0).observation("E3") ==
          judged(spectrum_experiment(), table, "E3", 0).observation("E3"));
    CHECK(judged(covariance_experiment(), moved, "4.6", 0).observation("4.6") ==
          judged(covariance_experiment(), table, "4.6", 0).observation("4.6"));
  }
}
