#include "lab/statistics/simultaneous.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "base/error.hpp"
#include "lab/statistics/moments.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;
using Eigen::Index;

TEST_CASE("simultaneous intervals: one quantity has the normal law's, many have the law of their largest") {
  const Draws draws{.seed = 1, .name = "bound", .count = 4000};
  CHECK(simultaneous_means(planted::gaussian(400, 1, "one"), draws).bound == doctest::Approx(1.96).epsilon(0.04));
  // Šidák: the quantile at (1 + .95^(1/60)) / 2.
  CHECK(simultaneous_means(planted::gaussian(2000, 60, "sixty"), draws).bound == doctest::Approx(3.34).epsilon(0.03));
}

TEST_CASE("simultaneous intervals hold all means at once in 95 of 100 cases, of few items too") {
  size_t held = 0;
  constexpr size_t kCases = 300;
  for (size_t i = 0; i < kCases; ++i) {
    const Table samples = planted::gaussian(8, 40, "case " + std::to_string(i));
    const auto means = simultaneous_means(samples, {.seed = i, .name = "case", .count = 200});
    bool all = true;
    for (Index quantity = 0; quantity < 40; ++quantity) {
      const Interval interval = means.interval(quantity);
      all = all && interval.low <= 0 && 0 <= interval.high;
    }
    held += all ? 1 : 0;
  }
  // Of 300 cases at .95 fewer than 272 or more than 297 come up in one of a thousand.
  CHECK(held >= 272);
  CHECK(held <= 297);
}

TEST_CASE("what does not vary has an interval of no width, and one item has none") {
  Table samples = planted::gaussian(9, 2, "constant");
  samples.col(1).setConstant(0.25);
  const auto means = simultaneous_means(samples, {.seed = 1, .name = "constant", .count = 50});
  CHECK(means.interval(1).low == 0.25);
  CHECK(means.interval(1).high == 0.25);
  CHECK(means.error(0) == doctest::Approx(std::sqrt(centred(samples).col(0).squaredNorm() / 8 / 9)));
  CHECK_THROWS_AS(static_cast<void>(simultaneous_means(samples.topRows(1), {.seed = 1, .name = "one", .count = 50})),
                  summand::UsageError);
}
