// What a study concludes from rows that were made by hand.
#include "train/study/comparison.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "train/study/study_plan.hpp"
#include "train/study/study_rows.hpp"

// libtorch has a CHECK of its own, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

namespace summand::train {

namespace {

constexpr const char *kTask = "topic", *kOther = "topic_b";

Contrast contrast(const std::string& family, const std::string& arm, const std::string& against) {
  return {.family = family, .task = kTask, .arm = arm, .against = against, .against_task = kTask, .margin = 0.02};
}

/// Arms sum, gate and damaged with seeds 1 to 4 of a task, and sum with seeds 1 to 4 of another.
StudyPlan plan_of(std::vector<Contrast> contrasts) {
  StudyPlan plan;
  plan.name = "by_hand";
  plan.arms = {{.name = "sum", .config = "{}"},
               {.name = "gate", .config = "{}"},
               {.name = "damaged", .config = "{}", .misread = 0.1}};
  plan.tasks = {{.name = kTask, .task = "topic"}, {.name = kOther, .task = "topic"}};
  plan.cells = {{.block = "one", .task = kTask, .arms = {"sum", "gate", "damaged"}, .first_seed = 1, .seeds = 4},
                {.block = "one", .task = kOther, .arms = {"sum"}, .first_seed = 1, .seeds = 4}};
  plan.contrasts = std::move(contrasts);
  return plan;
}

/// A finished run. Its gap differs from seed to seed.
StudyRow row(const std::string& arm, uint64_t seed, double left, const std::string& task = kTask) {
  StudyRow row{.task = task, .arm = arm, .seed = seed};
  row.gap = static_cast<double>(seed);
  row.excess = left * row.gap;
  row.tokens = 1000;
  row.curve = {{.step = 10, .excess = row.excess}};
  return row;
}

std::vector<StudyRow> rows_of(const std::string& arm, const std::vector<double>& left) {
  std::vector<StudyRow> rows;
  for (size_t index = 0; index < left.size(); ++index) rows.push_back(row(arm, index + 1, left[index]));
  return rows;
}

std::vector<StudyRow> operator+(std::vector<StudyRow> one, const std::vector<StudyRow>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

void check_close(const std::vector<double>& found, const std::vector<double>& wanted) {
  REQUIRE(found.size() == wanted.size());
  for (size_t index = 0; index < found.size(); ++index)
    CHECK(found[index] == doctest::Approx(wanted[index]).epsilon(1e-12));
}

const std::vector<double> kSum{0.30, 0.32, 0.28, 0.31};
/// Of damaged: .10 more than sum, give or take.
const std::vector<double> kWorse{0.40, 0.425, 0.378, 0.412};
/// Of gate: within .02 of sum.
const std::vector<double> kNear{0.301, 0.319, 0.281, 0.310};

StudyVerdict verdict_of(const std::vector<Comparison>& comparisons, size_t index) {
  return comparisons.at(index).judgement.verdict;
}

}  // namespace

TEST_CASE("differences are of shares of each seed's own gap, whatever the order of rows") {
  const StudyPlan plan = plan_of({contrast("primary", "sum", "gate")});
  const auto rows =
      rows_of("gate", {0.2, 0.3, 0.1, 0.2}) + rows_of("damaged", kWorse) + rows_of("sum", {0.5, 0.4, 0.4, 0.6});
  const auto backwards = std::vector<StudyRow>(rows.rbegin(), rows.rend());
  for (const auto& all : {rows, backwards}) {
    const auto comparisons = compare(plan, all);
    REQUIRE(comparisons.size() == 1);
    const Comparison& one = comparisons.front();
    CHECK(one.contrast == &plan.contrasts.front());
    CHECK(one.seeds == std::vector<uint64_t>{1, 2, 3, 4});
    check_close(one.differences, {0.3, 0.1, 0.3, 0.4});
    CHECK(one.mean == doctest::Approx(0.275));
    CHECK(one.deviation == doctest::Approx(std::sqrt(0.0475 / 3)));
    // Quantiles of Student's law with 3 degrees of freedom, from SciPy: 3.182446 at .975, 2.353363 at .95.
    const double error = one.deviation / 2;
    CHECK(one.interval.low == doctest::Approx(0.275 - 3.182446 * error).epsilon(1e-6));
    CHECK(one.interval.high == doctest::Approx(0.275 + 3.182446 * error).epsilon(1e-6));
    CHECK(one.narrower.low == doctest::Approx(0.275 - 2.353363 * error).epsilon(1e-6));
    CHECK(one.judgement.verdict == StudyVerdict::hurts);
  }
}

TEST_CASE("only seeds that both arms have finished are compared, and two at least") {
  const StudyPlan plan = plan_of({contrast("primary", "sum", "gate"), contrast("primary", "sum", "damaged")});
  auto rows = rows_of("sum", kSum);
  rows.push_back(row("gate", 4, 0.1));
  rows.push_back(row("gate", 2, 0.2));
  rows.push_back(row("gate", 9, 0.2));  // of no run of the plan
  rows.push_back(row("sum", 9, 0.7));
  rows.push_back(row("damaged", 3, 0.5));  // a single one
  const auto comparisons = compare(plan, rows);
  REQUIRE(comparisons.size() == 1);
  CHECK(comparisons[0].contrast == &plan.contrasts[0]);
  CHECK(comparisons[0].seeds == std::vector<uint64_t>{2, 4});
  check_close(comparisons[0].differences, {0.12, 0.21});
  CHECK(compare(plan, {}).empty());
}

TEST_CASE("a contrast of a stratum reads that stratum alone, of the seeds that have it") {
  Contrast of_mark = contrast("strata", "sum", "gate");
  of_mark.stratum = "mark";
  const StudyPlan plan = plan_of({of_mark});
  auto rows = rows_of("sum", kSum) + rows_of("gate", kSum);
  for (StudyRow& one : rows) {
    const double left = one.arm == "sum" ? 0.5 + 0.1 * static_cast<double>(one.seed) : 0.2;
    one.strata["mark"] = {.excess = 4 * left, .gap = 4, .asked = 10};
    one.strata["none"] = {.excess = 3, .gap = 4, .asked = 10};
  }
  rows[2].strata.erase("mark");  // sum, seed 3
  rows[7].diverged = true;       // gate, seed 4
  const auto comparisons = compare(plan, rows);
  REQUIRE(comparisons.size() == 1);
  CHECK(comparisons[0].seeds == std::vector<uint64_t>{1, 2});
  check_close(comparisons[0].differences, {0.4, 0.5});
  CHECK(!comparisons[0].more_tokens.has_value());
}

TEST_CASE("a contrast of the share by distance reads the last validation") {
  Contrast shares = contrast("readout", "sum", "sum");
  shares.measure = Measure::distance_share;
  shares.against_task = kOther;
  shares.margin = 0.1;
  const StudyPlan plan = plan_of({shares});
  std::vector<StudyRow> rows;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    for (const auto* task : {kTask, kOther}) {
      rows.push_back(row("sum", seed, 0.3, task));
      const double share = task == kTask ? 0.9 - 0.01 * static_cast<double>(seed) : 0.3;
      rows.back().curve = {{.step = 5, .excess = 1, .distance_share = 0.5},
                           {.step = 10, .excess = 0.5, .distance_share = share}};
    }
  }
  rows[0].curve.back().distance_share.reset();  // seed 1
  rows[3].curve.clear();                        // seed 2 of the other task
  const auto comparisons = compare(plan, rows);
  REQUIRE(comparisons.size() == 1);
  CHECK(comparisons[0].seeds == std::vector<uint64_t>{3, 4});
  check_close(comparisons[0].differences, {0.57, 0.56});
  CHECK(comparisons[0].verdict_word() == "larger");
  CHECK(!comparisons[0].more_tokens.has_value());
}

TEST_CASE("equivalent is said only where a damaged arm came out worse on that task") {
  const Contrast near = contrast("primary", "gate", "sum"), damage = contrast("assay", "damaged", "sum");
  const auto pair = rows_of("sum", kSum) + rows_of("gate", kNear);

  const StudyPlan with = plan_of({near, damage});
  auto found = compare(with, pair + rows_of("damaged", kWorse));
  CHECK(verdict_of(found, 0) == StudyVerdict::equivalent);
  CHECK(!found[0].unseen);
  CHECK(verdict_of(found, 1) == StudyVerdict::hurts);

  found = compare(with, pair + rows_of("damaged", kNear));  // the damage was not seen
  CHECK(verdict_of(found, 0) == StudyVerdict::inconclusive);
  CHECK(found[0].unseen);
  CHECK(found[0].judgement.p_equivalent < 0.05);
  CHECK(verdict_of(found, 1) == StudyVerdict::equivalent);  // of the assay itself nothing is hidden
  CHECK(!found[1].unseen);

  found = compare(with, pair);  // not finished
  REQUIRE(found.size() == 1);
  CHECK(found[0].unseen);

  found = compare(plan_of({near, contrast("strata", "damaged", "sum")}), pair + rows_of("damaged", kWorse));
  CHECK(found[0].unseen);  // seen, but in no assay
  found = compare(plan_of({near, contrast("assay", "gate", "sum")}), rows_of("sum", kSum) + rows_of("gate", kWorse));
  CHECK(!found[0].unseen);  // hurts, which needs no assay
  CHECK(verdict_of(found, 0) == StudyVerdict::hurts);

  StudyPlan elsewhere = with;  // an assay on one task says nothing about another
  elsewhere.contrasts[0].task = elsewhere.contrasts[0].against_task = kOther;
  elsewhere.cells[1].arms = {"sum", "gate"};
  auto rows = rows_of("sum", kSum) + rows_of("damaged", kWorse);
  for (StudyRow one : pair) {
    one.task = kOther;
    rows.push_back(one);
  }
  found = compare(elsewhere, rows);
  REQUIRE(found.size() == 2);
  CHECK(found[0].unseen);
  CHECK(verdict_of(found, 1) == StudyVerdict::hurts);
}

TEST_CASE("an undamaged arm that hurts in the assay is no proof of sight") {
  const StudyPlan plan = plan_of({contrast("primary", "damaged", "sum"), contrast("assay", "gate", "sum")});
  const auto found = compare(plan, rows_of("sum", kSum) + rows_of("gate", kWorse) + rows_of("damaged", kNear));
  REQUIRE(found.size() == 2);
  CHECK(verdict_of(found, 1) == StudyVerdict::hurts);
  CHECK(found[0].unseen);
}

TEST_CASE("verdicts are adjusted within their family, and for what is in it alone") {
  // p = .0364, two-sided, of a mean beyond .02: from SciPy's Student law with 3 degrees of freedom.
  const std::vector<double> a_little_worse{0.346, 0.366, 0.319, 0.334};
  const auto rows = rows_of("sum", kSum) + rows_of("gate", a_little_worse) + rows_of("damaged", {0.3, 0.5, 0.1, 0.4});
  const Contrast one = contrast("primary", "gate", "sum"), unclear = contrast("primary", "damaged", "sum");
  CHECK(verdict_of(compare(plan_of({one}), rows), 0) == StudyVerdict::hurts);
  CHECK(verdict_of(compare(plan_of({one, unclear}), rows), 0) == StudyVerdict::inconclusive);
  CHECK(verdict_of(compare(plan_of({one, contrast("more", "damaged", "sum")}), rows), 0) == StudyVerdict::hurts);
  const StudyPlan plan = plan_of({one, contrast("more", "damaged", "sum"), unclear});
  const auto comparisons = compare(plan, rows);
  const auto primary = differences_of(comparisons, "primary");
  REQUIRE(primary.size() == 2);
  CHECK(primary[0].values == comparisons[0].differences);
  CHECK(primary[1].values == comparisons[2].differences);
  CHECK(primary[0].margin == 0.02);
  CHECK(differences_of(comparisons, "assay").empty());
}

TEST_CASE("a run that diverged left its whole gap") {
  const StudyPlan plan = plan_of({contrast("primary", "gate", "sum")});
  auto rows = rows_of("sum", kSum) + rows_of("gate", kNear);
  rows[5].diverged = true;  // gate, seed 2
  rows[5].excess = rows[5].gap;
  const auto found = compare(plan, rows);
  REQUIRE(found.size() == 1);
  CHECK(found[0].seeds.size() == 4);
  CHECK(found[0].differences[1] == doctest::Approx(1 - 0.32));
  CHECK(!found[0].more_tokens.has_value());
}

TEST_CASE("the worse arm trains longer: more tokens are positive of it, negative of the better one") {
  auto rows = rows_of("sum", {0.5, 0.5, 0.5, 0.5}) + rows_of("gate", {0.25, 0.25, 0.25, 0.25});
  for (StudyRow& one : rows) {
    if (one.arm == "sum") continue;
    // Half of the gap is left at these of 10 steps: sum trains by 1, 1.5, 3 and 9 times longer for it.
    const int64_t half = std::vector<int64_t>{5, 4, 2, 1}[one.seed - 1];
    one.curve = {{.step = 0, .excess = 0.9 * one.gap},
                 {.step = half, .excess = 0.5 * one.gap},
                 {.step = 10, .excess = 0.25 * one.gap}};
  }
  const StudyPlan plan = plan_of({contrast("primary", "sum", "gate"), contrast("primary", "gate", "sum")});
  const auto found = compare(plan, rows);
  REQUIRE(found.size() == 2);
  CHECK(found[0].more_tokens.value() == doctest::Approx((1.5 + 4) / 2));  // 1, 1.5, 4, 9
  CHECK(found[1].more_tokens.value() == doctest::Approx(((1 / 2.5 - 1) + (0.2 - 1)) / 2));
  for (StudyRow& one : rows) {
    if (one.arm == "gate") one.curve.erase(one.curve.begin());  // there at the first evaluation: when, nobody saw
  }
  CHECK(!compare(plan, rows)[0].more_tokens.has_value());
}

}  // namespace summand::train
