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

TEST_CASE("the parts are halves, and the positions below and from 128 on where both have 64 rows") {
  const auto names = [](size_t rows) {
    std::vector<std::string> list;
    for (const auto& part : clocks::parts_of(placed_rows(planted::gaussian(rows, 2, "parts")))) {
      list.push_back(part.name);
      CHECK(part.rows.at.size() >= circle_rule::kLeastPartRows);
    }
    return list;
  };
  CHECK(names(127).empty());
  CHECK(names(128) == std::vector<std::string>{"first_half", "second_half"});
  CHECK(names(192) == std::vector<std::string>{"first_half", "second_half", "below_128", "from_128"});
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

TEST_CASE("circles at a steady pace say no more than the lag kernel, circles whose pace drifts far do") {
  const std::vector<double> turns{6, 22, 80};
  const auto with_drift = [&](double drift) {
    summand::RandomStream stream(21, "kernel or more");
    return outcome_of(clocks::planted_circles({320, 60}, turns, stream, drift));
  };
  const auto steady = with_drift(0);
  CHECK(steady.observation("X1") == Observation::holds);
  CHECK(steady.inference("X1") != Inference::follows);
  const auto drifting = with_drift(0.1);
  CHECK(drifting.observation("X1") == Observation::holds);
  CHECK(drifting.inference("X1") == Inference::follows);
}

TEST_CASE("circles at equal differences are circles and no ladder") {
  summand::RandomStream stream(21, "arithmetic");
  const std::vector<double> turns{6, 31, 56, 81, 106};
  const auto outcome = outcome_of(clocks::planted_circles({400, 60}, turns, stream));
  CHECK(outcome.observation("X1") == Observation::cannot_be_told);  // the fastest three are within half of each other
  CHECK(outcome.observation("X2") != Observation::holds);
}

TEST_CASE("circles whose radius or pace changes along the positions, by a step or evenly, cannot be told") {
  constexpr size_t kRows = 512;
  const std::vector<double> turns{10, 31, 97};
  // In so few columns as the circles have, nulls have circles too.
  const auto observed = [](const Table& table) {
    summand::RandomStream stream(21, "changing circles");
    const Table wide = table * random_frame(static_cast<size_t>(table.cols()), 40, stream);
    const auto outcome = outcome_of(wide + 0.01 * planted::gaussian(kRows, 40, "changing circles"));
    MESSAGE(outcome.verdicts.at("X1").number, ": ", outcome.verdicts.at("X1").reason.en);
    return outcome.observation("X1");
  };
  CHECK(observed(planted::circles(kRows, turns)) == Observation::holds);
  const auto with_radius = [&](const std::function<double(double)>& radius) {
    Table table = planted::circles(kRows, turns);
    for (Eigen::Index row = 0; row < table.rows(); ++row) {
      table.row(row) *= radius(static_cast<double>(row) / static_cast<double>(kRows));
    }
    return table;
  };
  for (const double times : {0.5, 0.6, 1.7, 3.0}) {
    for (const double until : {0.25, 0.5, 0.8}) {
      CAPTURE(times);
      CAPTURE(until);
      CHECK(observed(with_radius([=](double x) { return x < until ? times : 1; })) == Observation::cannot_be_told);
    }
  }
  CHECK(observed(with_radius([](double x) { return 1 + x; })) == Observation::cannot_be_told);
  CHECK(observed(with_radius([](double x) { return 1 + 4 * x; })) == Observation::cannot_be_told);
  for (const double faster : {0.5, 1.6, 2.5}) {
    CAPTURE(faster);
    // The first quarter at another pace.
    Table table = planted::circles(kRows, turns);
    for (Eigen::Index row = 0; row < table.rows(); ++row) {
      const double t = static_cast<double>(row);
      const double place = t < 128 ? faster * t : faster * 128 + t - 128;
      for (size_t i = 0; i < turns.size(); ++i) {
        const double angle = 2 * std::numbers::pi * turns[i] * place / static_cast<double>(kRows);
        table(row, static_cast<Eigen::Index>(2 * i)) = std::cos(angle);
        table(row, static_cast<Eigen::Index>(2 * i + 1)) = std::sin(angle);
      }
    }
    CHECK(observed(table) != Observation::fails);
  }
}

TEST_CASE("a pace that rises, a slow circle and circles near each other cannot be told") {
  const auto slow = outcome_of(planted::circles(400, {1.5}));
  CHECK(slow.observation("X1") == Observation::cannot_be_told);
  CHECK(slow.value("X1", "slow_share") > 0.95);
  CHECK(outcome_of(planted::rising_pace(400, 8, 72)).observation("X1") == Observation::cannot_be_told);
  for (const auto& turns : std::vector<std::vector<double>>{{20, 28, 39}, {40, 56}, {8, 16, 24, 32, 40, 48}}) {
    const auto outcome = outcome_of(planted::circles(400, turns));
    CHECK(outcome.observation("X1") == Observation::cannot_be_told);
    CHECK(outcome.value("X1", "turning_share") > 0.95);
  }
  // Of a sinusoid's 96 circles most make no two turns: it is not a few.
  CHECK(outcome_of(planted::sine(320, 192)).observation("X1") == Observation::fails);
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
  for (const char* part : {"first_half", "second_half", "below_128", "from_128"}) {
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

TEST_CASE("random paths and noise fail, and have no ladder to be told") {
  for (const Table& table :
       {planted::walk(320, 48, "fails"), planted::smooth(320, 48, "fails"), planted::gaussian(320, 48, "fails")}) {
    const auto outcome = outcome_of(table);
    INFO(outcome.verdicts.at("X1").reason.en);
    CHECK(outcome.observation("X1") == Observation::fails);
    CHECK(outcome.observation("X2") == Observation::cannot_be_told);
    CHECK(outcome.value("X2", "rungs") == 0);
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
