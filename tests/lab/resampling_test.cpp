#include "lab/statistics/resampling.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "lab/statistics/change_point.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

IndexStatistic mean_of(const std::vector<double>& values) {
  return [&values](std::span<const size_t> items) {
    double sum = 0;
    for (const size_t item : items) sum += values[item];
    return sum / static_cast<double>(items.size());
  };
}

std::vector<double> column(const Table& table) {
  return {table.data(), table.data() + table.size()};
}

}  // namespace

TEST_CASE("the bootstrap interval of a mean is that of the central limit") {
  const auto values = column(planted::gaussian(2000, 1, "bootstrap"));
  const auto interval = bootstrap(values.size(), mean_of(values), {.seed = 1, .name = "mean", .count = 4000});
  const double error = standard_deviation(values) / std::sqrt(2000);
  // Quantiles of 4000 draws are known to about 4 % of the error.
  CHECK(std::abs(interval.low - (mean(values) - 1.96 * error)) < 0.15 * error);
  CHECK(std::abs(interval.high - (mean(values) + 1.96 * error)) < 0.15 * error);
}

TEST_CASE("a share of 1 in every item has the exact bound of that many cases, and a share between is resampled") {
  const auto share_of = [](const std::vector<double>& items) {
    return bootstrap_share(items.size(), 3 * items.size(), mean_of(items), {.seed = 1, .name = "share", .count = 500});
  };
  const auto all = share_of(std::vector<double>(24, 1.0));
  CHECK(all.low == doctest::Approx(std::pow(0.025, 1.0 / 72)));  // Clopper & Pearson, closed form
  CHECK(all.high == 1);
  const auto none = share_of(std::vector<double>(24, 0.0));
  CHECK(none.low == 0);
  CHECK(none.high == doctest::Approx(1 - std::pow(0.025, 1.0 / 72)));
  std::vector<double> most(24, 1.0);
  for (size_t i = 0; i < 12; ++i) most[i] = 0.5;
  const auto between = share_of(most);
  const auto plain = bootstrap(most.size(), mean_of(most), {.seed = 1, .name = "share", .count = 500});
  CHECK(between.low == plain.low);
  CHECK(between.high == plain.high);
}

TEST_CASE("draws do not depend on threads") {
  const auto values = column(planted::gaussian(300, 1, "threads"));
  const auto one = bootstrap(300, mean_of(values), {.seed = 1, .name = "mean", .count = 200, .threads = 1});
  const auto two = bootstrap(300, mean_of(values), {.seed = 1, .name = "mean", .count = 200, .threads = 2});
  const auto other = bootstrap(300, mean_of(values), {.seed = 2, .name = "mean", .count = 200, .threads = 1});
  CHECK(one.low == two.low);
  CHECK(one.high == two.high);
  CHECK(one.low != other.low);
}

TEST_CASE("blocks widen the interval of a smooth path to its true width, and single rows do not") {
  // Of a Gaussian process of length 12 the mean's deviation is √(√(2π)·12 / n) but for the ends.
  constexpr size_t kRows = 1500;
  const auto path = column(planted::smooth(kRows, 1, "blocks"));
  const double truth = 2 * 1.96 * std::sqrt(std::sqrt(2 * std::numbers::pi) * 12 / kRows);
  const auto rows = bootstrap(kRows, mean_of(path), {.seed = 1, .name = "rows", .count = 1000});
  const auto blocks = block_bootstrap(kRows, 75, mean_of(path), {.seed = 1, .name = "blocks", .count = 1000});
  CHECK(rows.high - rows.low < 0.3 * truth);
  // 20 blocks estimate a deviation to about 16 %; three times that.
  CHECK(blocks.high - blocks.low == doctest::Approx(truth).epsilon(0.45));
}

TEST_CASE("blocks are runs of neighbouring rows and fill the table") {
  const auto count_breaks = [](std::span<const size_t> items) {
    REQUIRE(items.size() == 103);
    double breaks = 0;
    for (size_t i = 1; i < items.size(); ++i) {
      REQUIRE(items[i] < 103);
      if (items[i] != items[i - 1] + 1) {
        CHECK(i % 10 == 0);
        breaks += 1;
      }
    }
    return breaks;
  };
  const auto breaks = block_bootstrap(103, 10, count_breaks, {.seed = 1, .name = "breaks", .count = 50});
  CHECK(breaks.high == 10);
  CHECK(breaks.low >= 8);
}

TEST_CASE("a permutation p counts the observed one among the null") {
  const std::vector<double> null{-3, -1, 0, 2, 5};
  CHECK(permutation_p(2, null, Tail::greater) == doctest::Approx(3.0 / 6));
  CHECK(permutation_p(9, null, Tail::greater) == doctest::Approx(1.0 / 6));
  CHECK(permutation_p(-1, null, Tail::less) == doctest::Approx(3.0 / 6));
  CHECK(permutation_p(-3, null, Tail::either_sign) == doctest::Approx(3.0 / 6));
}

TEST_CASE("impossible resampling is refused") {
  const auto none = [](std::span<const size_t>) { return 0.0; };
  CHECK_THROWS_AS(static_cast<void>(bootstrap(0, none, {})), summand::UsageError);
  CHECK_THROWS_AS(static_cast<void>(bootstrap(kLeastResampled - 1, none, {})), summand::UsageError);
  CHECK_NOTHROW(static_cast<void>(bootstrap(kLeastResampled, none, {})));
  CHECK_THROWS_AS(static_cast<void>(block_bootstrap(5, 6, none, {})), summand::UsageError);
}

TEST_CASE("a planted change is found where it lies, by its size") {
  auto series = column(planted::gaussian(512, 1, "change"));
  for (size_t i = 128; i < series.size(); ++i) series[i] += 1.5;
  const Draws draws{.seed = 1, .name = "change", .count = 500};
  const auto best = best_change_point(series, {.margin = 10}, draws);
  CHECK(std::abs(static_cast<double>(best.place) - 128) <= 3);
  CHECK(best.difference == doctest::Approx(1.5).epsilon(0.2));
  CHECK(best.p == doctest::Approx(1.0 / 501));
  CHECK(change_at(series, 128, {}, draws).p == doctest::Approx(1.0 / 501));
  CHECK(change_at(series, 128, {}, draws).share <= best.share);
}

TEST_CASE("without a change p is no smaller than its rank, searched or not") {
  // 200 series: 10 % of the p lie below .1 with a standard error of 2.1 points; four of them are allowed.
  size_t searched = 0;
  size_t fixed = 0;
  for (int i = 0; i < 200; ++i) {
    const auto series = column(planted::gaussian(60, 1, "no change " + std::to_string(i)));
    const Draws draws{.seed = 1, .name = "no change", .count = 99};
    searched += best_change_point(series, {}, draws).p <= 0.1;
    fixed += change_at(series, 20, {}, draws).p <= 0.1;
  }
  CHECK(std::abs(static_cast<double>(searched) / 200 - 0.1) < 0.085);
  CHECK(std::abs(static_cast<double>(fixed) / 200 - 0.1) < 0.085);
}

TEST_CASE("in a smooth series single items see changes everywhere and blocks do not") {
  size_t items = 0;
  size_t blocks = 0;
  for (int i = 0; i < 40; ++i) {
    const auto series = column(planted::smooth(512, 1, "smooth change " + std::to_string(i)));
    items += change_at(series, 128, {}, {.seed = 1, .name = "items", .count = 99}).p <= 0.05;
    blocks += change_at(series, 128, {.block = 48}, {.seed = 1, .name = "blocks", .count = 99}).p <= 0.05;
  }
  CHECK(items >= 20);
  CHECK(blocks <= 8);
}

TEST_CASE("Kendall's tau counts pairs in order, less those out of it") {
  const std::vector<double> a{1, 2, 3, 4};
  CHECK(kendall_tau(a, std::vector<double>{10, 20, 30, 40}) == 1);
  CHECK(kendall_tau(a, std::vector<double>{4, 3, 2, 1}) == -1);
  CHECK(kendall_tau(a, std::vector<double>{1, 3, 2, 4}) == doctest::Approx(4.0 / 6));
  CHECK(kendall_tau(a, std::vector<double>{7, 7, 7, 7}) == 0);
  // One tie: 5 pairs in order of 5 untied ones, by √(6·5).
  CHECK(kendall_tau(a, std::vector<double>{1, 2, 2, 3}) == doctest::Approx(5 / std::sqrt(30.0)));
}
