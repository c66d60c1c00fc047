// 4.6 on tables whose truth is known.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "lab/experiments/covariance/hessian_diagonal.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/statistics/surrogates.hpp"
#include "tests/lab/planted.hpp"
#include "tests/lab/planted_outcome.hpp"

using namespace summand::lab;
using planted::outcome_of;
using planted::subject_of;

namespace {

constexpr size_t kRows = 320;
constexpr size_t kColumns = 96;

/// Independent columns, some far wider than others.
Table of_unequal_columns() {
  Table table = planted::gaussian(kRows, kColumns, "columns");
  const Table spread = planted::gaussian(1, kColumns, "spread");
  for (Eigen::Index column = 0; column < table.cols(); ++column) table.col(column) *= std::exp(spread(0, column));
  return table;
}

planted::Outcome judged(const Table& table) {
  auto outcome = outcome_of(covariance_experiment(), subject_of(table), 1);
  INFO(outcome.verdicts.at("4.6").reason.en);
  CHECK_FALSE(outcome.verdicts.at("4.6").reason.zh.empty());
  return outcome;
}

}  // namespace

TEST_CASE("4.6: the diagonal of independent columns stands out, of noise in any coordinates alike") {
  for (const Table& table : {planted::gaussian(kRows, kColumns, "noise"), planted::walk(kRows, kColumns, "walk")}) {
    const auto outcome = judged(table);
    CHECK(outcome.observation("4.6") == Observation::holds);
    CHECK(outcome.inference("4.6") == Inference::does_not_follow);
  }
}

TEST_CASE("4.6: the same table in random coordinates passes the check as well as before") {
  summand::RandomStream stream(6, "referee: turned");
  const Table table = planted::smooth(kRows, 12, "turned") * planted::gaussian(12, kColumns, "turned");
  for (const Table& one : {table, rotated(table, stream)}) {
    const auto outcome = judged(one);
    CHECK(outcome.observation("4.6") == Observation::holds);
    CHECK(outcome.inference("4.6") == Inference::does_not_follow);
  }
}

TEST_CASE("4.6: columns of one common course fail the check") {
  Table table = planted::gaussian(kRows, kColumns, "own") * 0.02;
  table += planted::gaussian(kRows, 1, "course") * planted::gaussian(1, kColumns, "loadings");
  const auto outcome = judged(table);
  CHECK(outcome.observation("4.6") == Observation::fails);
  CHECK(outcome.inference("4.6") == Inference::does_not_follow);
}

TEST_CASE(
    "4.6: where the coordinates are special, H decides: with a diagonal H it follows, with a full one it does not") {
  const auto outcome = judged(of_unequal_columns());
  CHECK(outcome.observation("4.6") == Observation::holds);
  CHECK(outcome.inference("4.6") == Inference::not_tested);  // no model, no H
  const auto judge = covariance_experiment().rules.front().judge;
  const auto with_h = [&](double share, Interval interval) {
    Numbers numbers = outcome.findings.numbers.at("4.6");
    numbers.add({.name = std::string(kHessianShare),
                 .label = {},
                 .value = share,
                 .interval = interval,
                 .null = ReferenceValue{.value = 0.01, .of = {}},
                 .control = ReferenceValue{.value = 1, .of = {}}});
    return judge(numbers).inference;
  };
  CHECK(with_h(0.8, {.low = 0.7, .high = 0.9}) == Inference::follows);
  CHECK(with_h(0.01, {.low = 0.005, .high = 0.02}) == Inference::does_not_follow);
  CHECK(with_h(0.5, {.low = 0.4, .high = 0.6}) == Inference::not_tested);
}
