#include "lab/statistics/shift_maps.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "base/error.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/subspaces.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

constexpr double kRounding = 1e-9;
constexpr std::array<size_t, 4> kShifts{1, 4, 8, 32};

double skill(const Table& table, ShiftMap map, size_t shift, size_t components) {
  return shift_skill(table, map, {.shift = shift, .components = components});
}

/// Circles of whole periods over the table, so that centring takes nothing away: exact under every rotation.
Table circles(Eigen::Index rows) {
  Table table(rows, 6);
  for (Eigen::Index t = 0; t < rows; ++t) {
    for (Eigen::Index band = 0; band < 3; ++band) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(t * (3 + 2 * band)) / static_cast<double>(rows);
      table(t, 2 * band) = static_cast<double>(band + 1) * std::cos(angle);
      table(t, 2 * band + 1) = static_cast<double>(band + 1) * std::sin(angle);
    }
  }
  return table;
}

}  // namespace

TEST_CASE("Procrustes finds the planted rotation, and a reflection too") {
  const Table from = planted::gaussian(40, 6, "Procrustes");
  summand::RandomStream stream(1, "Procrustes");
  Table turn = random_frame(6, 6, stream);
  for (int side = 0; side < 2; ++side) {
    CHECK((orthogonal_procrustes(from, from * turn) - turn).cwiseAbs().maxCoeff() < kRounding);
    turn.row(0) = -turn.row(0);
  }
}

TEST_CASE("circles turn exactly: a rotation or any linear map predicts them, a factor or a difference does not") {
  const Table table = circles(120);
  for (const size_t shift : {1, 5, 20}) {
    CHECK(skill(table, ShiftMap::orthogonal, shift, 6) == doctest::Approx(1).epsilon(kRounding));
    CHECK(skill(table, ShiftMap::linear, shift, 6) == doctest::Approx(1).epsilon(kRounding));
  }
  CHECK(skill(table, ShiftMap::scalar, 20, 6) < 0.9);
  CHECK(skill(table, ShiftMap::constant_difference, 20, 6) < 0.2);
}

TEST_CASE("a straight line has a constant difference, which no rotation is") {
  Table line(90, 3);
  const Table noise = planted::gaussian(90, 3, "line");
  for (Eigen::Index t = 0; t < 90; ++t)
    line.row(t) = static_cast<double>(t) * Eigen::RowVector3d(1, 2, -1) + 1e-4 * noise.row(t);
  CHECK(skill(line, ShiftMap::constant_difference, 4, 1) > 1 - 1e-6);
  CHECK(skill(line, ShiftMap::orthogonal, 4, 1) < 0.1);
}

TEST_CASE("a decaying row is a factor of the one before") {
  // Around its mean p(x + k) − m = α (p(x) − m) + (α − 1) m: a factor alone is exact where the mean is 0, so plant two
  // halves of opposite sign.
  Table table(80, 1);
  for (Eigen::Index t = 0; t < 40; ++t) table(t, 0) = std::pow(0.9, static_cast<double>(t));
  for (Eigen::Index t = 40; t < 80; ++t) table(t, 0) = -std::pow(0.9, static_cast<double>(t - 40));
  const ShiftSettings settings{.shift = 2, .components = 1, .held_out = Block{5, 15}};
  CHECK(shift_skill(table, ShiftMap::scalar, settings) > 0.2);
  CHECK(shift_skill(table, ShiftMap::orthogonal, settings) == doctest::Approx(0).epsilon(kRounding));
}

TEST_CASE("what is judged was not fitted") {
  // Outside the held-out block the table stands still, inside it moves: persistence fitted outside has no skill there.
  Table table = Table::Zero(60, 2);
  for (Eigen::Index t = 0; t < 60; ++t)
    table(t, 0) = t < 20 || t >= 40 ? 1 : std::cos(static_cast<double>(t - 20) * std::numbers::pi / 10);
  table.col(1) = 0.1 * planted::gaussian(60, 1, "still").col(0);
  CHECK(skill(table, ShiftMap::constant_difference, 1, 2) < 0.05);
}

TEST_CASE("the sinusoid keeps its skill at every shift") {
  // The ledger: .87 .87 .86 .85 at k = 1, 4, 8, 32 with 16 components, the middle third held out. The last one lies
  // between .785 and .93 with how pairs across the block's edge are counted (NumPy); here they serve neither side.
  const Table table = sinusoid({512, 768});
  constexpr std::array<double, 4> kLedger{0.87, 0.87, 0.86, 0.85};
  constexpr std::array<double, 4> kMargin{0.01, 0.01, 0.01, 0.07};
  for (size_t i = 0; i < 4; ++i) {
    CHECK(std::abs(skill(table, ShiftMap::orthogonal, kShifts[i], 16) - kLedger[i]) < kMargin[i]);
  }
}

TEST_CASE("smooth tables without relative structure have no such skill, nor has white noise") {
  // Medians of 7 draws. The ledger has .04 −.06 −.34 .12 for the Gaussian process and .02 −.30 −2.5 −.11 for the walk;
  // a median of other draws lies up to .5 away, so the test holds what all of them share: far below the sinusoid.
  for (const size_t shift : kShifts) {
    std::array<double, 7> smooth{};
    std::array<double, 7> walk{};
    for (size_t i = 0; i < 7; ++i) {
      const auto name = "skill " + std::to_string(i);
      smooth[i] = skill(planted::smooth(512, 192, name), ShiftMap::orthogonal, shift, 16);
      walk[i] = skill(planted::walk(512, 192, name), ShiftMap::orthogonal, shift, 16);
    }
    INFO("shift ", shift, ": Gaussian process ", median(smooth), ", random walk ", median(walk));
    CHECK(median(smooth) < 0.6);
    CHECK(median(walk) < 0.6);
  }
  // Of white noise a rotation knows nothing: its error is persistence's own, twice the variance. A linear map may
  // answer with the mean and halves it.
  const Table white = planted::gaussian(512, 192, "white");
  CHECK(std::abs(skill(white, ShiftMap::orthogonal, 1, 16)) < 0.1);
  CHECK(skill(white, ShiftMap::linear, 1, 16) == doctest::Approx(0.5).epsilon(0.15));
}

TEST_CASE("a block that leaves nothing to fit on or to judge by is refused") {
  const Table table = planted::gaussian(30, 20, "refused");
  CHECK_THROWS_AS(static_cast<void>(shift_skill(table, ShiftMap::orthogonal, {.held_out = Block{5, 30}})),
                  summand::UsageError);
  CHECK_THROWS_AS(
      static_cast<void>(shift_skill(table, ShiftMap::orthogonal, {.components = 4, .held_out = Block{3, 3}})),
      summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(shift_skill(table, ShiftMap::orthogonal, {.shift = 40, .components = 4})),
                  summand::UsageError);
}
