#include "train/finetune/judging/scores.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random_stream.hpp"

namespace summand {

namespace {

using train::LabelCounts;
using Values = std::vector<double>;
using Labels = std::vector<int32_t>;

constexpr double kRounding = 1e-12;

LabelCounts counts_of(const std::vector<std::vector<double>>& confusion) {
  LabelCounts counts(confusion.size());
  for (size_t truth = 0; truth < confusion.size(); ++truth) {
    for (size_t predicted = 0; predicted < confusion.size(); ++predicted) {
      counts.add(static_cast<int32_t>(truth), static_cast<int32_t>(predicted), confusion[truth][predicted]);
    }
  }
  return counts;
}

const train::Score& named(const std::vector<train::Score>& scores, const std::string& name) {
  for (const auto& score : scores) {
    if (score.name == name) return score;
  }
  FAIL("no score " << name);
  return scores.front();
}

}  // namespace

TEST_CASE("scores of a confusion are those of their formulas, which scikit-learn gives too") {
  // sklearn 1.9 of truth 0×4 1×3 2×3, predictions 0001 112 202.
  const LabelCounts counts = counts_of({{3, 1, 0}, {0, 2, 1}, {1, 0, 2}});
  CHECK(train::accuracy(counts) == doctest::Approx(0.7).epsilon(kRounding));
  CHECK(train::macro_f1(counts) == doctest::Approx((0.75 + 2.0 / 3 + 2.0 / 3) / 3).epsilon(kRounding));
  CHECK(train::matthews(counts) == doctest::Approx(36.0 / 66).epsilon(kRounding));
  const LabelCounts constant = counts_of({{5, 0}, {2, 0}});
  CHECK(train::matthews(constant) == 0);
  CHECK(train::macro_f1(constant) == doctest::Approx((10.0 / 12 + 0) / 2).epsilon(kRounding));
  const LabelCounts absent = counts_of({{5, 0, 0}, {1, 2, 0}, {0, 0, 0}});  // a label that nothing has does not count
  CHECK(train::macro_f1(absent) == doctest::Approx((10.0 / 11 + 4.0 / 5) / 2).epsilon(kRounding));
}

TEST_CASE("correlations are invariant to scale, and Spearman's to any growing function; ties share their rank") {
  const Values left{1, 2, 3, 4, 5}, right{2, 1, 4, 3, 7};
  CHECK(train::pearson(left, right) == doctest::Approx(12 / std::sqrt(10.0 * 21.2)).epsilon(kRounding));
  CHECK(train::spearman(left, right) == doctest::Approx(1 - 6.0 * 4 / (5 * 24)).epsilon(kRounding));
  const Values tied{1, 1, 2, 2, 2};  // ranks .5 .5 3 3 3 beside 0 1 2 3 4
  CHECK(train::spearman(tied, left) ==
        doctest::Approx(train::pearson(Values{0.5, 0.5, 3, 3, 3}, left)).epsilon(kRounding));
  CHECK(train::pearson(left, Values(5, 3.0)) == 0);
}

TEST_CASE("spans are counted as seqeval counts them") {
  const std::vector<std::string> names{"O", "B-PER", "I-PER", "B-LOC", "I-LOC", "E-LOC", "S-LOC"};
  CHECK(train::name_spans(names));
  CHECK(!train::name_spans(std::vector<std::string>{"O", "NN"}));
  const auto counts = [&](const Labels& truth, const Labels& predicted) {
    const auto counted = train::count_spans(truth, predicted, names);
    return std::vector<uint64_t>{counted.truth, counted.predicted, counted.both};
  };
  using Counts = std::vector<uint64_t>;
  CHECK(counts({1, 2, 0, 3}, {1, 2, 0, 3}) == Counts{2, 2, 2});
  CHECK(counts({1, 2, 2, 0}, {1, 2, 0, 0}) == Counts{1, 1, 0});  // half a span is none
  CHECK(counts({0, 2, 2, 0}, {0, 1, 2, 0}) == Counts{1, 1, 1});  // a span may begin with I-
  CHECK(counts({1, 1, 2, 4}, {1, 2, 2, 4}) == Counts{3, 2, 1});  // B- begins another; another type too
  CHECK(counts({4, 5, 6, 6}, {4, 5, 6, 0}) == Counts{3, 2, 2});  // E- ends, S- is alone
  CHECK(train::span_f1({.truth = 4, .predicted = 2, .both = 2}) == doctest::Approx(2.0 * 2 / 6));
  CHECK(train::span_f1({}) == 0);
}

TEST_CASE("several labels: all of a row, pooled, and each label's") {
  Matrix<uint8_t> truth(3, 2), found(3, 2);
  truth(0, 0) = truth(1, 0) = truth(1, 1) = 1;
  found(0, 0) = found(1, 0) = found(2, 1) = 1;
  const auto scores = train::several_label_scores(truth, found, {});
  CHECK(named(scores, "accuracy").value == doctest::Approx(1.0 / 3));
  CHECK(named(scores, "micro_f1").value == doctest::Approx(2.0 * 2 / 6));
  CHECK(named(scores, "macro_f1").value == doctest::Approx((1.0 + 0) / 2));
}

TEST_CASE("ranking: precision where recall grows, and the first relevant passage of a query; ties count against") {
  const std::vector<size_t> queries{0, 0, 0, 1, 1, 2};
  const std::vector<uint8_t> relevant{0, 1, 1, 1, 0, 0};
  const auto scores = train::ranking_scores(queries, relevant, Values{0.9, 0.8, 0.1, 0.5, 0.5, 0.7}, {});
  // thresholds .9 (0 of 1), .8 (1 of 2), .7, .5 (2 of 5), .1 (3 of 6)
  CHECK(named(scores, "average_precision").value == doctest::Approx((1.0 / 2 + 2.0 / 5 + 3.0 / 6) / 3));
  CHECK(named(scores, "mean_reciprocal_rank").value == doctest::Approx((1.0 / 2 + 1.0 / 2) / 2));
}

TEST_CASE(
    "a bootstrap's interval of a mean is the normal one, is drawn by the seed, and is none where it is not asked for") {
  std::vector<double> values(400);
  RandomStream stream(1, "values");
  for (double& value : values) value = stream.normal();
  const auto mean = [&](std::span<const size_t> chosen) {
    double sum = 0;
    for (const size_t row : chosen) sum += values[row];
    return sum / static_cast<double>(chosen.size());
  };
  const auto score = train::bootstrap("mean", values.size(), {.seed = 2}, mean);
  constexpr double kNormal = 1.96 / 20;  // of 400 values with variance 1
  constexpr double kLoose = 0.25;        // of 1,000 resamplings of one sample
  CHECK(score.high - score.value == doctest::Approx(kNormal).epsilon(kLoose));
  CHECK(score.value - score.low == doctest::Approx(kNormal).epsilon(kLoose));
  CHECK(train::bootstrap("mean", values.size(), {.seed = 2}, mean).low == score.low);
  CHECK(train::bootstrap("mean", values.size(), {.seed = 3}, mean).low != score.low);
  const auto alone = train::bootstrap("mean", values.size(), {.count = 0}, mean);
  CHECK(alone.low == alone.value);
  CHECK(alone.high == alone.value);
}

TEST_CASE("a share of all rows has Clopper and Pearson's interval, and a difference that of paired rows") {
  const auto all = [](std::span<const size_t>) { return 1.0; };
  const train::Score right = train::bootstrap_share("accuracy", 60, {.seed = 3}, all);
  CHECK(right.low == doctest::Approx(0.9404).epsilon(1e-4));  // scipy.stats.binomtest(60, 60).proportion_ci().low
  CHECK(right.high == 1);
  const train::Score none = train::bootstrap_share("accuracy", 1, {.seed = 3}, [](auto) { return 0.0; });
  CHECK((none.low == 0 && none.high == doctest::Approx(0.975)));
  const Values rows{3, 1, 4, 1, 5, 9, 2, 6};
  const auto mean = [&](double shift) {
    return train::bootstrap("mean", rows.size(), {.seed = 3}, [&, shift](std::span<const size_t> chosen) {
      double sum = 0;
      for (const size_t row : chosen) sum += rows[row] + shift;
      return sum / static_cast<double>(chosen.size());
    });
  };
  const train::Score apart = train::difference(mean(2), mean(0));
  CHECK(apart.low == doctest::Approx(2));  // the same rows in each: no spread
  CHECK(apart.high == doctest::Approx(2));
  CHECK(mean(0).high - mean(0).low > 1);
}

}  // namespace summand
