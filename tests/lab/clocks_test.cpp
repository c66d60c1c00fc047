#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "lab/experiments/clocks/parts.hpp"
#include "lab/experiments/clocks/planted_circles.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/statistics/subspaces.hpp"
#include "tests/lab/besides.hpp"
#include "tests/lab/circle_tables.hpp"
#include "tests/lab/planted_outcome.hpp"
#include "tests/lab/words_in.hpp"

using namespace summand::lab;

namespace {

constexpr size_t kMostWords = 60;

planted::Outcome outcome_of(const Table& table, int threads = 2) {
  return planted::outcome_of(clocks_experiment(), planted::subject_of(table), threads);
}

}  // namespace

TEST_CASE("the parts are the positions below and from 128 on, where both have 64 rows") {
  const auto names = [](size_t rows) {
    std::vector<std::string> list;
    for (const auto& part : clocks::parts_of(placed_rows(planted::gaussian(rows, 2, "parts")))) {
      list.push_back(part.name);
      CHECK(part.rows.at.size() >= circle_rule::kLeastPartRows);
    }
    return list;
  };
  CHECK(names(191).empty());
  CHECK(names(192) == std::vector<std::string>{"below_128", "from_128"});
}

TEST_CASE("five circles in equal ratios hold in both claims") {
  const auto outcome = outcome_of(planted::circle_ladder(5, 320, 60));
  CHECK(outcome.observation("X1") == Observation::holds);
  CHECK(outcome.observation("X2") == Observation::holds);
  CHECK(outcome.value("X2", "ratio") == doctest::Approx(std::pow(0.4 * 320 / 4.5, 0.25)).epsilon(0.05));
  for (const char* claim : {"X1", "X2"}) planted::check_besides(outcome.findings, claim);
  REQUIRE(outcome.findings.figures.size() == 5);
  const auto& figures = outcome.findings.figures;
  CHECK(figures[figures.size() - 2].name == "clocks-dials");
  CHECK(figures.back().name == "clocks-rebuilt");
}

// What earlier rules could not say: equal circles mix in principal components, and tables of the same lag kernel are
// circles too.
TEST_CASE("circles of equal size and at equal differences are circles, and no ladder") {
  summand::RandomStream stream(21, "arithmetic");
  const std::vector<double> turns{6, 31, 56, 81, 106};
  const auto outcome = outcome_of(clocks::planted_circles({400, 60}, turns, stream));
  CHECK(outcome.observation("X1") == Observation::holds);
  CHECK(outcome.value("X1", "circles") == 5);
  CHECK(outcome.observation("X2") != Observation::holds);
  CHECK(outcome_of(planted::circles(400, {8, 16, 24, 32, 40, 48})).observation("X1") == Observation::holds);
}

TEST_CASE("circles whose radius or pace changes far along the positions are none") {
  constexpr size_t kRows = 512;
  const std::vector<double> turns{10, 31, 97};
  const auto observed = [](const Table& table) {
    summand::RandomStream stream(21, "changing circles");
    const Table wide = table * random_frame(static_cast<size_t>(table.cols()), 40, stream);
    return outcome_of(wide + 0.01 * planted::gaussian(kRows, 40, "changing circles")).observation("X1");
  };
  CHECK(observed(planted::circles(kRows, turns)) == Observation::holds);
  Table spirals = planted::circles(kRows, turns);
  for (Eigen::Index row = 0; row < spirals.rows(); ++row) {
    spirals.row(row) *= 1 + 4 * static_cast<double>(row) / static_cast<double>(kRows);
  }
  CHECK(observed(spirals) != Observation::holds);
  CHECK(outcome_of(planted::rising_pace(400, 8, 72)).observation("X1") != Observation::holds);
  CHECK(outcome_of(planted::circles(400, {1.5})).observation("X1") != Observation::holds);
}

TEST_CASE("a sinusoid turns as one: its circles cannot be told apart, and it is never said that there are none") {
  for (const auto& [rows, columns] : {std::pair<size_t, size_t>{160, 256}, {320, 192}}) {
    for (const double noise : {0.0, 0.3}) {
      const Table table = planted::sine(rows, columns) + noise * planted::gaussian(rows, columns, "sines");
      const auto outcome = outcome_of(table);
      CHECK(outcome.observation("X1") == Observation::cannot_be_told);
      CHECK(outcome.verdicts.at("X1").number == "steps_by_distance");
      const auto answer = clocks_experiment().answer(outcome.findings, outcome.verdicts);
      CHECK(answer.en.find("turns as one motion") != std::string::npos);
    }
  }
}

TEST_CASE("a ladder's ratios are told one by one and part by part, and lie in their intervals") {
  const auto outcome = outcome_of(planted::circle_ladder(5, 320, 60));
  const auto& numbers = outcome.findings.numbers.at("X2");
  const double ratio = std::pow(0.4 * 320 / 4.5, 0.25);
  for (const char* name : {"ratio", "pace_ratio_1", "pace_ratio_2", "pace_ratio_3", "pace_ratio_4"}) {
    CAPTURE(name);
    const auto& number = numbers.at(name);
    CHECK(number.value == doctest::Approx(ratio).epsilon(0.1));
    CHECK(number.interval->low <= number.value);
    CHECK(number.value <= number.interval->high);
  }
  for (const char* part : {"below_128", "from_128"}) {
    CHECK(numbers.value(std::string("ratio_in_") + part) == doctest::Approx(ratio).epsilon(0.1));
  }
  summand::RandomStream stream(21, "uneven");
  const std::vector<double> uneven{5, 11, 31, 73, 211};
  const auto other = outcome_of(clocks::planted_circles({512, 60}, uneven, stream, 0));
  REQUIRE(other.value("X2", "rungs") == 5);
  for (size_t i = 0; i < 4; ++i) {
    CHECK(other.value("X2", "pace_ratio_" + std::to_string(i + 1)) ==
          doctest::Approx(uneven[i + 1] / uneven[i]).epsilon(0.02));
  }
  CHECK(other.verdicts.at("X2").reason.en.find("2.20, 2.8") != std::string::npos);
}

TEST_CASE("random paths, noise, lines and parabolas fail, and have no ladder to be told") {
  Table parabola(320, 2);
  for (Eigen::Index row = 0; row < parabola.rows(); ++row) {
    const double t = static_cast<double>(row) / 320;
    parabola.row(row) << t, t * t;
  }
  summand::RandomStream stream(21, "parabola");
  const Table curved = parabola * random_frame(2, 48, stream) + 0.01 * planted::gaussian(320, 48, "parabola");
  for (const Table& table : {planted::walk(320, 48, "fails"), planted::smooth(320, 48, "fails"),
                             planted::gaussian(320, 48, "fails"), curved}) {
    const auto outcome = outcome_of(table);
    INFO(outcome.verdicts.at("X1").reason.en);
    CHECK(outcome.observation("X1") == Observation::fails);
    CHECK(outcome.observation("X2") == Observation::cannot_be_told);
    for (const char* claim : {"X1", "X2"}) planted::check_besides(outcome.findings, claim);
    const auto answer = clocks_experiment().answer(outcome.findings, outcome.verdicts);
    CHECK(words_in(answer.en) <= kMostWords);
  }
}

TEST_CASE("clocks: the same seed gives the same numbers on any number of threads, odd widths included") {
  const Table table = planted::circle_ladder(3, 160, 33);
  const auto one = outcome_of(table, 1);
  const auto two = outcome_of(table, 2);
  for (const char* claim : {"X1", "X2"}) {
    const auto& numbers = one.findings.numbers.at(claim).all();
    const auto& others = two.findings.numbers.at(claim).all();
    REQUIRE(numbers.size() == others.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      CHECK(numbers[i].name == others[i].name);
      CHECK(numbers[i].value == others[i].value);
      CHECK(numbers[i].null->value == others[i].null->value);
      CHECK(numbers[i].control->value == others[i].control->value);
    }
  }
}

TEST_CASE("clocks: [CLS]'s row and a common vector change nothing") {
  Table table = planted::circle_ladder(3, 200, 40);
  const auto before = outcome_of(table);
  table.row(0) *= 50;
  table.row(199).setConstant(7);
  table.rowwise() += planted::gaussian(1, 40, "common").row(0);
  const auto after = outcome_of(table / 32);
  CHECK(after.value("X1", "circle_share") == doctest::Approx(before.value("X1", "circle_share")).epsilon(1e-6));
  CHECK(after.observation("X1") == before.observation("X1"));
}

TEST_CASE("clocks: too few rows, and rows that do not differ, are gaps") {
  for (const Table& table :
       {planted::circle_ladder(1, 100, 12), Table(Table::Zero(200, 8)), planted::walk(300, 1, "one column")}) {
    const auto outcome = outcome_of(table);
    CHECK(outcome.findings.gaps.contains("X1"));
    CHECK(outcome.findings.gaps.contains("X2"));
    CHECK(outcome.observation("X1") == Observation::not_measured);
  }
}
