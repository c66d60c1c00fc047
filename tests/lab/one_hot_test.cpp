// The one-hot experiment: three tables stacked, and what turns its verdict.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/one_hot/stacked_tables.hpp"
#include "lab/statistics/surrogates.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;
using planted::run;

namespace {

const Subject& plain() {
  static const Subject subject = planted::checkpoint({48, 64}, [](planted::ThreeTables&) {});
  return subject;
}

Table whole(Eigen::Index rows, double first) {
  Table table(rows, 2);
  for (Eigen::Index row = 0; row < rows; ++row) table.row(row) << first + static_cast<double>(row), -first;
  return table;
}

}  // namespace

TEST_CASE("a one-hot product picks one row of each table, however they are stacked") {
  const Table tokens = whole(4, 100);
  const Table positions = whole(3, 10);
  const Table segments = whole(2, 1);
  for (const Stacking stacking : {Stacking::document, Stacking::bert}) {
    const Stacked stacked(tokens, positions, segments, stacking);
    const auto sum = stacked.product({.token = 2, .position = 1, .segment = 1}, Placing::right);
    CHECK(sum(0) == 102 + 11 + 2);
    CHECK(sum(1) == -111);
    CHECK(stacked.product({.token = 2, .position = 2, .segment = 1}, Placing::next_position)(0) == 102 + 10 + 2);
  }
}

TEST_CASE("the order of stacking is the order of rounding") {
  // 2^24 + 1 rounds to 2^24; 2^24 + 2 does not.
  Table tokens(1, 1);
  Table ones(1, 1);
  tokens << 16777216;
  ones << 1;
  Table minus(1, 1);
  minus << -16777216;
  const std::vector<SumItem> items{{}};
  const FloatTable exact = FloatTable::Ones(1, 1);
  const Comparison comparison{tokens, ones, minus, items, exact};
  CHECK(comparison.with(Stacking::bert).units == 0);
  CHECK(comparison.with(Stacking::document).units == doctest::Approx(0.5));  // 0 instead of 1, of units of 2
  CHECK(comparison.with(Stacking::document).coordinates[3] == 1);
  CHECK(comparison.exact() == 0);
}

TEST_CASE("the engine's sum is the one-hot product bit for bit, stacked in its order") {
  const auto ran = run(one_hot_experiment(), plain());
  CHECK(ran.observation("Q8a") == Observation::holds);
  CHECK(ran.inference("Q8a") == Inference::does_not_follow);
  CHECK(ran.value("Q8a", "units_in_berts_order") == 0);
  CHECK(ran.value("Q8a", "units_in_documents_order") > 0);
  CHECK(ran.value("Q8a", "example_nine") == 0);
  CHECK(ran.value("Q8a", "example_joint") == 0);
  CHECK(ran.value("Q8a", "rows_stacked") == plain().tokens.rows() + 48 + 2);
  CHECK(ran.findings.numbers.at("Q8a").control("rows_stacked") == 31036);
}

TEST_CASE("tables that are not those of the engine fail the one-hot product") {
  Subject subject = plain();
  RandomStream stream(1, "other positions");
  subject.positions = white_noise({48, 64}, stream);
  const auto ran = run(one_hot_experiment(), subject);
  CHECK(ran.observation("Q8a") == Observation::fails);
  CHECK(ran.answer.en.starts_with("No, not here"));
}

TEST_CASE("where all positions have one row the algebra is the same, though a one in the wrong place is not seen") {
  const auto subject = planted::checkpoint(
      {48, 64}, [](planted::ThreeTables& tables) { tables.positions.rowwise() = tables.positions.row(0).eval(); });
  const auto ran = run(one_hot_experiment(), subject);
  CHECK(ran.observation("Q8a") == Observation::holds);
  CHECK(ran.findings.numbers.at("Q8a").null("units_in_berts_order") == 0);
}

TEST_CASE("without a corpus the one-hot product is taken of combinations drawn uniformly") {
  Subject subject = plain();
  subject.corpus = {};
  const auto ran = run(one_hot_experiment(), subject);
  CHECK(ran.observation("Q8a") == Observation::holds);
  CHECK(ran.findings.remarks.size() == 2);
}

TEST_CASE("a table alone, or of another size, is a gap of the one-hot product") {
  Subject subject = plain();
  subject.positions.conservativeResize(20, 64);
  CHECK(run(one_hot_experiment(), subject).findings.gaps.contains("Q8a"));
  subject.model = nullptr;
  CHECK(run(one_hot_experiment(), subject).findings.gaps.contains("Q8a"));
}
