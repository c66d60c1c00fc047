// E6 and E7 on tables whose truth is known.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/oscillation/waves.hpp"
#include "lab/plant/planted_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "tests/lab/best_sinusoid.hpp"
#include "tests/lab/planted.hpp"
#include "tests/lab/planted_outcome.hpp"

using namespace summand::lab;
using Eigen::Index;
using planted::Outcome;
using planted::outcome_of;
using planted::subject_of;

namespace {

// Wide enough that a sinusoid's components are sinusoids, which the control has to have.
constexpr size_t kRows = 384;
constexpr size_t kColumns = 256;

Table drawn(PlantedTable kind, const Table* source = nullptr) {
  summand::RandomStream stream(3, "referee: oscillation");
  return planted_table(kind, {.rows = kRows, .columns = kColumns, .source = source}, stream);
}

/// Five circles, each three times as fast as the one before, their paces drifting: like a checkpoint's table.
const Table& clocks() {
  static const Table table = drawn(PlantedTable::clocks);
  return table;
}

Outcome judged(const Table& table) {
  const auto experiment = oscillation_experiment();
  auto outcome = outcome_of(experiment, subject_of(table), 1);
  for (const char* claim : {"E6", "E7"}) {
    INFO(outcome.verdicts.at(claim).reason.en);
    CHECK_FALSE(outcome.verdicts.at(claim).reason.zh.empty());
  }
  CHECK_FALSE(experiment.answer(outcome.findings, outcome.verdicts).zh.empty());
  return outcome;
}

}  // namespace

TEST_CASE("E6, E7: a sinusoid's components are sinusoids") {
  const auto outcome = judged(drawn(PlantedTable::sinusoid));
  for (const char* claim : {"E6", "E7"}) {
    CAPTURE(claim);
    INFO(outcome.verdicts.at(claim).reason.en);
    CHECK(outcome.observation(claim) == Observation::holds);
  }
}

TEST_CASE("E6: what random walks have as well proves nothing, however much it looks like waves" *
          doctest::test_suite("long")) {
  for (const Table& table : {drawn(PlantedTable::sinusoid), clocks(), drawn(PlantedTable::band),
                             drawn(PlantedTable::walk), drawn(PlantedTable::smooth)}) {
    const auto outcome = judged(table);
    INFO(outcome.verdicts.at("E6").reason.en);
    CHECK(outcome.value("E6", "random_walk") > 0.7);
    CHECK(outcome.inference("E6") == Inference::does_not_follow);
    CHECK(outcome.inference("E7") != Inference::follows);
  }
}

TEST_CASE("E6: a random walk's slow waves look like sinusoids, and a fast wave is asked for no more cycles than they") {
  CHECK(judged(drawn(PlantedTable::walk)).observation("E6") == Observation::holds);
  const auto ring = judged(drawn(PlantedTable::ring));
  INFO(ring.verdicts.at("E6").reason.en);
  CHECK(ring.observation("E6") == Observation::holds);
  CHECK(ring.observation("E7") == Observation::fails);  // beside the ring there is noise
}

TEST_CASE("E6: a line under noise, and what else only rises, looks like no sinusoid" * doctest::test_suite("long")) {
  for (const double power : {1.0, 0.5, 2.0}) {
    CAPTURE(power);
    Table table = 0.05 * planted::gaussian(kRows, kColumns, "under a line");
    const Table direction = planted::gaussian(1, kColumns, "along a line");
    for (Index i = 0; i < table.rows(); ++i) {
      table.row(i) += std::pow(static_cast<double>(i) / static_cast<double>(kRows), power) * direction.row(0);
    }
    const auto outcome = judged(table);
    INFO(outcome.verdicts.at("E6").reason.en);
    CHECK(outcome.value("E6", "waves") > 0.7);
    CHECK(outcome.observation("E6") == Observation::cannot_be_told);
  }
}

TEST_CASE("E6, E7: waves of equal energy mix in the components, which then have no one frequency; noise has none") {
  const auto equal = judged(drawn(PlantedTable::equal_frequencies));
  const auto noise = judged(drawn(PlantedTable::white));
  for (const char* claim : {"E6", "E7"}) {
    CAPTURE(claim);
    INFO(equal.verdicts.at(claim).reason.en);
    CHECK(equal.value(claim, "one_frequency") < 0.7);
    CHECK(equal.value(claim, "waves") > equal.value(claim, "one_frequency"));  // they beat: a few cycles are a sinusoid
    CHECK(equal.inference(claim) != Inference::follows);
    CHECK(noise.observation(claim) == Observation::fails);
    CHECK(noise.inference(claim) != Inference::follows);
  }
}

TEST_CASE("E6, E7: a vector moved to the tokens, a scale and another order of coordinates change no verdict") {
  const Table& table = clocks();
  const auto own = judged(table);
  Table shifted = table;
  shifted.rowwise() += 5 * planted::gaussian(1, kColumns, "shift").row(0);
  for (const Table& other : {Table(shifted / 32), Table(table.rowwise().reverse())}) {
    const auto same = judged(other);
    for (const char* claim : {"E6", "E7"}) {
      CHECK(same.observation(claim) == own.observation(claim));
      CHECK(same.inference(claim) == own.inference(claim));
      CHECK(same.value(claim, "waves") == doctest::Approx(own.value(claim, "waves")).epsilon(1e-6));
    }
  }
}

TEST_CASE("one row of outlying norm is left out, and is told of") {
  Table table = drawn(PlantedTable::walk);
  const auto own = judged(table);
  table.row(0) *= 50;
  const auto with_long_row = judged(table);
  CHECK(with_long_row.observation("E6") == own.observation("E6"));
  CHECK(with_long_row.value("E6", "waves") == doctest::Approx(own.value("E6", "waves")).epsilon(0.02));
  CHECK(with_long_row.value("E6", "waves_all") < own.value("E6", "waves_all"));
}

TEST_CASE("waves are followed two cycles at a time: a drifting pace keeps most, and at one frequency loses most") {
  constexpr Index kLength = 256;
  Table wave(kLength, 2);
  for (Index i = 0; i < kLength; ++i) {
    // 40 cycles, and a phase that goes a quarter of a cycle to and fro: no one frequency keeps it.
    const double part = static_cast<double>(i) / kLength;
    const double angle = 2 * std::numbers::pi * (40 * part + 0.25 * std::sin(4 * std::numbers::pi * part));
    wave(i, 0) = std::cos(angle) + 0.3;
    wave(i, 1) = 0;
  }
  const ComponentWaves waves(placed_rows(wave), 2);
  REQUIRE(waves.components() == 1);
  CHECK(waves.explained({0, 1}) > 0.8);
  CHECK(waves.explained_by_one({0, 1}) < 0.5);
  CHECK(waves.repeating({0, 1}) == 1);
  CHECK(waves.explained({1, 2}) == 0);  // there is no such component
  // The sinusoids and what is left of them are the component.
  CHECK((waves.scores() - waves.waves()).squaredNorm() < 0.2 * waves.scores().squaredNorm());
}

TEST_CASE("one frequency over all positions is the least-squares sinusoid of the spectrum's own search") {
  const Table table = planted::walk(200, 6, "one frequency");
  const ComponentWaves waves(placed_rows(table), 6);
  for (Index c = 0; c < waves.components(); ++c) {
    const Vector curve = waves.scores().col(c);
    const auto fit = planted::best_sinusoid({curve.data(), static_cast<size_t>(curve.size())});
    CHECK(waves.explained_by_one({c, c + 1}) == doctest::Approx(fit.r2).epsilon(0.01));
    CHECK(waves.turns()(c) / 200 == doctest::Approx(fit.cycles_per_row).epsilon(0.05));
  }
}

TEST_CASE("of white noise nothing is explained on average, and rows that are missing are left out") {
  std::vector<double> explained;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    const Table noise = planted::gaussian(300, 30, name);
    const size_t missing[]{0, 7, 150};
    explained.push_back(ComponentWaves(placed_rows(noise, missing), 18).explained({0, 18}));
  }
  // The strongest of many frequencies explains a little of anything.
  CHECK(mean(explained) < 0.15);
  CHECK(mean(explained) > -0.05);
}
