#include "lab/experiments/circle_readers/crossings.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "base/random_stream.hpp"

using namespace summand::lab;
using namespace summand::lab::circle_readers;
using Eigen::Index;

namespace {

/// Effects of planes on heads: products with noise, window by window.
std::vector<HeadEffects> effects(const Table& attention, const Table& logits, double noise, size_t windows = 12) {
  std::vector<HeadEffects> planes;
  summand::RandomStream stream(4, "effects");
  for (Index plane = 0; plane < attention.cols(); ++plane) {
    HeadEffects one;
    for (auto [of, to] : {std::pair{&attention, &one.attention}, std::pair{&logits, &one.logits}}) {
      *to = of->col(plane).transpose().replicate(static_cast<Index>(windows), 1);
      for (double& value : to->reshaped()) value += noise * stream.normal();
    }
    planes.push_back(std::move(one));
  }
  return planes;
}

Comparisons comparisons_of(const std::vector<HeadEffects>& planes, size_t heads) {
  return {planes, heads, {.seed = 3, .name = "comparisons", .count = 300}};
}

}  // namespace

TEST_CASE("heads that weigh all planes alike do not cross, however strong they are and whatever else is measured") {
  Table product(6, 3);
  for (Index head = 0; head < 6; ++head) product.row(head) << 0.3, 0.2, 0.1;
  for (Index head = 0; head < 6; ++head) product.row(head) *= 0.2 * static_cast<double>(head);
  const auto comparisons = comparisons_of(effects(product, 5 * product, 0.001), 6);
  const auto crossing = comparisons.crossing();
  CHECK((!crossing || crossing->attention().interval.low <= 0));
  CHECK(comparisons.possible() < 0.01);
  CHECK(comparisons.lead_of(0).attention.interval.low > 0.09);
  CHECK(comparisons.possible_lead_of(2) < 0.01);
  // In attention alone they may: two heads of one mixture, one so strong that it is full.
  Table full = product;
  full.row(5) << 0.3, 0.4, 0.1;
  CHECK(comparisons_of(effects(full, 5 * product, 0.001), 6).possible() < 0.01);
}

TEST_CASE("two heads cross where each is moved more by a plane of its own, in one layer alone") {
  Table moved = Table::Constant(4, 3, 0.05);
  moved(0, 0) = 0.4;  // by plane 0
  moved(3, 2) = 0.3;  // by plane 2
  const auto planes = effects(moved, 10 * moved, 0.002);
  const auto crossing = comparisons_of(planes, 4).crossing();
  REQUIRE(crossing);
  CHECK(crossing->slower == 0);
  CHECK(crossing->faster == 2);
  CHECK(crossing->of_slower.head == 0);
  CHECK(crossing->of_faster.head == 3);
  CHECK(crossing->attention().value == doctest::Approx(0.25).epsilon(0.02));
  CHECK(crossing->attention().interval.low > 0.2);
  CHECK(crossing->attention().interval.high < 0.3);
  CHECK(crossing->logits().value == doctest::Approx(2.5).epsilon(0.02));
  // Heads 0 and 3 are now in layers of two.
  CHECK(comparisons_of(planes, 2).possible() < 0.02);
  CHECK(comparisons_of(planes, 4).lead_of(2).head == 3);
}
