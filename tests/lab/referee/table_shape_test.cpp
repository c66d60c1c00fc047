// E1, E2, E3, E5 and 0.9 on tables whose truth is known.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/plant/planted_tables.hpp"
#include "lab/statistics/principal_components.hpp"
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

Table drawn(PlantedTable kind) {
  summand::RandomStream stream(3, "referee: shape");
  return planted_table(kind, {.rows = kRows, .columns = kColumns}, stream);
}

Outcome judged(const Experiment& experiment, const Table& table, const std::string& claim) {
  auto outcome = outcome_of(experiment, subject_of(table), 1);
  INFO(outcome.verdicts.at(claim).reason.en);
  CHECK_FALSE(experiment.answer(outcome.findings, outcome.verdicts).zh.empty());
  return outcome;
}

/// A vector moved to the tokens, and all tables a 32nd: the same function.
std::vector<Table> rewritten(const Table& table) {
  Table shifted = table;
  shifted.rowwise() += 5 * planted::gaussian(1, kColumns, "shift").row(0);
  return {table, shifted, shifted / 32};
}

/// White noise of which the rows up to 127 are twice as long, or half as long.
Table step(double factor) {
  Table table = planted::gaussian(kRows, kColumns, "step");
  table.topRows(128) *= factor;
  return table;
}

Table heavy_tails() {
  Table table = planted::gaussian(kRows, kColumns, "tails");
  return table.array().cube();
}

/// Rows that depend on as many directions as document 002 counts, no row on its neighbours.
Table low_rank() {
  return planted::gaussian(kRows, 18, "scores") * planted::gaussian(18, kColumns, "directions") +
         0.05 * planted::gaussian(kRows, kColumns, "noise");
}

/// Components of falling size, row 0 so far off in a direction of its own that as a component it comes behind so many.
Table with_first_row_behind(size_t components) {
  Table table = planted::smooth(kRows, 30, "behind") * planted::gaussian(30, kColumns, "behind");
  const auto whole = principal_components(table, 30);
  table = whole.scores * whole.loadings;
  for (Eigen::Index c = 0; c < whole.scores.cols(); ++c) {
    const double size = std::pow(0.8, static_cast<double>(c)) / whole.scores.col(c).norm();
    table += (size * 100 - 1) * whole.scores.col(c) * whole.loadings.row(c);
  }
  summand::RandomStream stream(5, "behind");
  Table direction = random_frame(1, kColumns, stream);
  direction -= Table(direction * whole.loadings.transpose() * whole.loadings);
  direction.rowwise().normalize();
  table.row(0) = table.row(1) + 100 * std::pow(0.8, static_cast<double>(components) - 0.5) * direction.row(0);
  return table + 1e-3 * planted::gaussian(kRows, kColumns, "behind: full rank");
}

/// A smooth table of 30 directions, row 0 off in one of its own, about as far as the others spread.
Table with_first_row_apart() {
  Table table = planted::smooth(kRows, 30, "first row") * planted::gaussian(30, kColumns, "first row") / 5;
  table.row(0) += 3.5 * planted::gaussian(1, kColumns, "first row apart").row(0);
  return table;
}

}  // namespace

TEST_CASE("E1: numbers drawn afresh are like the initialisation, whatever the tokens and the scale hold") {
  for (const Table& table : rewritten(drawn(PlantedTable::initialisation))) {
    const auto outcome = judged(initialisation_experiment(), table, "E1");
    CHECK(outcome.observation("E1") == Observation::holds);
    CHECK(outcome.inference("E1") == Inference::not_tested);
  }
}

TEST_CASE("E1: one long row among rows drawn afresh does not make the table unlike them") {
  const auto outcome = judged(initialisation_experiment(), drawn(PlantedTable::initialisation_long_row), "E1");
  CHECK(outcome.observation("E1") == Observation::holds);
  CHECK(outcome.inference("E1") == Inference::not_tested);
}

TEST_CASE("E1: heavy tails are not the initialisation") {
  CHECK(judged(initialisation_experiment(), heavy_tails(), "E1").observation("E1") == Observation::fails);
}

TEST_CASE("E1: a histogram that is alike says nothing of rows in order") {
  const auto outcome = judged(initialisation_experiment(), low_rank(), "E1");
  CHECK(outcome.inference("E1") == Inference::does_not_follow);
}

TEST_CASE("E2: a planted step at 128 is found, whatever the tokens and the scale hold") {
  for (const Table& table : rewritten(step(2))) {
    const auto outcome = judged(tails_experiment(), table, "E2");
    CHECK(outcome.observation("E2") == Observation::holds);
    CHECK(outcome.inference("E2") == Inference::not_tested);
    CHECK(outcome.value("E2", "best_change") == doctest::Approx(128).epsilon(0.02));
  }
}

TEST_CASE("E2: neither the reverse step nor numbers drawn afresh have their tails early") {
  for (const Table& table : {step(0.5), drawn(PlantedTable::initialisation), drawn(PlantedTable::white)}) {
    const auto outcome = judged(tails_experiment(), table, "E2");
    CHECK(outcome.observation("E2") == Observation::fails);
    CHECK(outcome.inference("E2") != Inference::follows);
  }
  CHECK(judged(tails_experiment(), step(0.5), "E2").inference("E2") == Inference::does_not_follow);
}

TEST_CASE("E2: one row, which [CLS]'s token row could as well hold, changes nothing") {
  const auto whole = judged(tails_experiment(), step(0.8), "E2");
  Table long_row = step(0.8);
  long_row.row(0) += 60 * planted::gaussian(1, kColumns, "long row").row(0);
  const auto with_long_row = judged(tails_experiment(), long_row, "E2");
  CHECK(with_long_row.observation("E2") == whole.observation("E2"));
  CHECK(with_long_row.value("E2", "early_to_late") ==
        doctest::Approx(whole.value("E2", "early_to_late")).epsilon(0.02));
  CHECK(with_long_row.value("E2", "row_of_largest_leverage") == 0);
}

TEST_CASE("E2: early rows that are longer by far are a part of the table, and no single rows that stand out") {
  for (const Eigen::Index rows : {40, 64, 128}) {
    CAPTURE(rows);
    Table table = planted::gaussian(512, kColumns, "early part");
    table.topRows(rows) *= rows == 128 ? 3 : 2;
    const auto outcome = judged(tails_experiment(), table, "E2");
    CHECK(outcome.observation("E2") != Observation::fails);
    CHECK(outcome.value("E2", "early_to_late") > 1.5);
  }
}

TEST_CASE("E2: where the few rows that stand out would tell something else, nothing is told") {
  Table table = planted::gaussian(512, kColumns, "few long rows");
  const auto without = judged(tails_experiment(), table, "E2");
  CHECK(without.observation("E2") == Observation::fails);
  CHECK(without.value("E2", "early_to_late_with_outlying") == without.value("E2", "early_to_late"));
  table.middleRows(20, 10) *= 3;
  const auto outcome = judged(tails_experiment(), table, "E2");
  CHECK(outcome.value("E2", "early_to_late") < 1.2);  // they are left out
  CHECK(outcome.value("E2", "early_to_late_with_outlying") > 1.5);
  CHECK(outcome.observation("E2") == Observation::cannot_be_told);
  CHECK(outcome.verdicts.at("E2").number == "early_to_late_with_outlying");
}

TEST_CASE("E2: large values that are commoner early in rows that stand out are not told to be as rare there") {
  Table table = planted::gaussian(512, 384, "rows of one length");
  table.rowwise() -= table.colwise().mean().eval();
  for (Eigen::Index row = 0; row < table.rows(); ++row) table.row(row) *= std::sqrt(384) / table.row(row).norm();
  for (Eigen::Index i = 0; i < 10; ++i) table.row(6 + 12 * i) *= 1.35;
  const auto outcome = judged(tails_experiment(), table, "E2");
  CHECK(outcome.findings.numbers.at("E2").at("early_to_late_with_outlying").interval->low > 1.05);
  CHECK(outcome.verdicts.at("E2").conclusion == std::nullopt);
  CHECK(outcome.inference("E2") == Inference::not_tested);
}

TEST_CASE("E2: that large values are hardly commoner early is not told to be false by chance") {
  size_t told = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    summand::RandomStream stream(seed, "hardly commoner");
    Table table = white_noise({.rows = kRows, .columns = kColumns}, stream);
    table.topRows(128) *= 1.03;  // 1.1 to 1.15 times as many beyond two deviations
    told += judged(tails_experiment(), table, "E2").verdicts.at("E2").conclusion == Truth::false_here ? 1 : 0;
  }
  CHECK(told == 0);
}

TEST_CASE("E2: where large values are a little rarer at late positions, there is something to explain") {
  const auto outcome = judged(tails_experiment(), step(1.02), "E2");
  CHECK(outcome.observation("E2") == Observation::fails);
  CHECK(outcome.inference("E2") == Inference::not_tested);
  CHECK(outcome.verdicts.at("E2").conclusion == std::nullopt);
  CHECK(judged(tails_experiment(), step(0.5), "E2").verdicts.at("E2").conclusion == Truth::false_here);
}

TEST_CASE("E2: what a smooth table that is alike everywhere has by chance is not told as a step") {
  for (const auto kind : {PlantedTable::smooth, PlantedTable::walk}) {
    CHECK(judged(tails_experiment(), drawn(kind), "E2").observation("E2") != Observation::holds);
  }
}

TEST_CASE("E3: six or eight components are less than half of eighteen") {
  for (const size_t rank : {6, 8}) {
    summand::RandomStream stream(6, "few components");
    const Table table =
        planted::gaussian(kRows, static_cast<Eigen::Index>(rank), "few") * random_frame(rank, kColumns, stream) +
        0.02 * planted::gaussian(kRows, kColumns, "few: noise");
    CHECK(judged(spectrum_experiment(), table, "E3").observation("E3") == Observation::fails);
  }
}

TEST_CASE("E3: noise has no few components, and its coordinates are not told to depend on each other") {
  const auto outcome = judged(spectrum_experiment(), drawn(PlantedTable::white), "E3");
  CHECK(outcome.observation("E3") == Observation::fails);
  CHECK(outcome.inference("E3") == Inference::does_not_follow);
}

TEST_CASE("E3: the components of independent smooth columns are few, and nothing follows") {
  for (const auto kind : {PlantedTable::walk, PlantedTable::smooth}) {
    const auto outcome = judged(spectrum_experiment(), drawn(kind), "E3");
    CHECK(outcome.value("E3", "first_18_components") > 0.9);
    CHECK(outcome.inference("E3") != Inference::follows);
  }
}

TEST_CASE("E3: coordinates that are made of 18 others have 18 components, whatever the tokens and the scale hold") {
  for (const Table& table : rewritten(low_rank())) {
    const auto outcome = judged(spectrum_experiment(), table, "E3");
    CHECK(outcome.observation("E3") == Observation::holds);
    CHECK(outcome.inference("E3") == Inference::not_tested);
    const auto& count = outcome.findings.numbers.at("E3").at("components_above_1_percent");
    CHECK(count.value == 18);
    CHECK(count.interval->low <= count.value);
    CHECK(count.value <= count.interval->high);
  }
}

TEST_CASE(
    "E3: columns that are drawn independently have few components where rows are alike in blocks; nothing follows") {
  constexpr Eigen::Index kBlocks = 16;
  const Table blocks = planted::gaussian(kBlocks, kColumns, "blocks");
  Table table(kRows, kColumns);
  for (Eigen::Index row = 0; row < table.rows(); ++row) table.row(row) = blocks.row(row * kBlocks / table.rows());
  const auto outcome = judged(spectrum_experiment(), table, "E3");
  CHECK(outcome.inference("E3") != Inference::follows);
}

TEST_CASE("E5: a first row far off changes components, and where it alone has a direction the rank explains it") {
  const Table apart = with_first_row_apart();
  const auto ranked = judged(first_row_experiment(), apart, "E5");
  CHECK(ranked.observation("E5") == Observation::holds);
  CHECK(ranked.value("E5", "rank_lost") == 1);
  CHECK(ranked.inference("E5") == Inference::follows);
  const auto full =
      judged(first_row_experiment(), apart + 1e-3 * planted::gaussian(kRows, kColumns, "full rank"), "E5");
  CHECK(full.observation("E5") == Observation::holds);
  CHECK(full.value("E5", "rank_lost") == 0);
  CHECK(full.inference("E5") == Inference::does_not_follow);
}

TEST_CASE("E5: the 8th to 10th are to change first, and none before or after them") {
  for (const size_t behind : {0, 3, 5, 15, 16}) {
    CAPTURE(behind);
    CHECK(judged(first_row_experiment(), with_first_row_behind(behind), "E5").observation("E5") == Observation::fails);
  }
  for (const size_t behind : {7, 8, 9}) {
    CAPTURE(behind);
    CHECK(judged(first_row_experiment(), with_first_row_behind(behind), "E5").observation("E5") == Observation::holds);
  }
}

TEST_CASE("E5: where the rank falls whichever row is left out, nothing is said of it") {
  Table wide = planted::smooth(80, 30, "wide") * planted::gaussian(30, kColumns, "wide") / 5 +
               0.1 * planted::gaussian(80, kColumns, "wide: noise");
  wide.row(0) += 3.5 * planted::gaussian(1, kColumns, "wide: first row").row(0);
  const auto outcome = judged(first_row_experiment(), wide, "E5");
  CHECK(outcome.value("E5", "rank_lost") == 1);
  CHECK(outcome.findings.numbers.at("E5").at("rank_lost").null->value == 1);
  CHECK(outcome.inference("E5") == Inference::not_tested);
}

TEST_CASE("E5: where the late components do not come back, nothing holds") {
  // Under one long row, directions of one variance: which of them are the components, any row decides.
  Table table = planted::gaussian(kRows, kColumns, "late");
  summand::RandomStream stream(0, "referee: one variance");
  table.rightCols(kColumns - 8) = random_frame(kColumns - 8, kRows, stream).transpose();
  table.row(0).tail(kColumns - 8) = planted::gaussian(1, kColumns - 8, "long row");
  const auto outcome = judged(first_row_experiment(), table, "E5");
  CHECK(outcome.value("E5", "late_come_back") < 3);
  CHECK(outcome.observation("E5") != Observation::holds);
}

TEST_CASE("E5: a first row like the others changes no more than they do") {
  for (const auto kind : {PlantedTable::initialisation, PlantedTable::smooth}) {
    CHECK(judged(first_row_experiment(), drawn(kind), "E5").observation("E5") != Observation::holds);
  }
}

TEST_CASE("0.9: a random walk is continuous, noise is not, and neither says what adding does") {
  const auto walk = judged(continuity_experiment(), drawn(PlantedTable::walk), "0.9");
  CHECK(walk.observation("0.9") == Observation::holds);
  CHECK(walk.inference("0.9") == Inference::does_not_follow);
  for (const auto kind : {PlantedTable::white, PlantedTable::initialisation}) {
    const auto noise = judged(continuity_experiment(), drawn(kind), "0.9");
    CHECK(noise.observation("0.9") == Observation::fails);
    CHECK(noise.inference("0.9") == Inference::does_not_follow);
  }
}
