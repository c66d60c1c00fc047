#include "lab/statistics/ladder.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random_stream.hpp"

using namespace summand::lab;

namespace {

constexpr double kRounding = 1e-9;

Table spacings_of(size_t places, size_t draws, const std::string& name) {
  summand::RandomStream stream(1, name);
  return random_spacings(places, draws, stream);
}

}  // namespace

TEST_CASE("equal ratios are told from equal differences and from chance") {
  const Vector spreads = spreads_of(spacings_of(4, 10000, "ladder"));
  const std::array<double, 4> geometric{2, 6, 18, 54};
  const auto even = ladder_of(geometric, spreads, 1);
  CHECK(even.ratio == doctest::Approx(3).epsilon(kRounding));
  CHECK(even.log_spread < kRounding);
  CHECK(even.ratio_p < 2e-4);
  const std::array<double, 4> arithmetic{2, 12, 22, 32};
  const auto steps = ladder_of(arithmetic, spreads, 1);
  CHECK(steps.ratio_p > 0.05);
  const std::array<double, 4> uneven{2, 2.2, 40, 54};
  CHECK(ladder_of(uneven, spreads, 1).ratio_p > 0.5);
  const std::array<double, 3> falling{3, 2, 4};
  CHECK_THROWS_AS(static_cast<void>(ladder_of(falling, spreads, 1)), summand::UsageError);
  summand::RandomStream stream(1, "refused");
  CHECK_THROWS_AS(static_cast<void>(random_spacings(2, 10, stream)), summand::UsageError);
}

TEST_CASE("spacings are those of uniform places") {
  // Two inner places: of three spacings with sum 1 the mean square is 1/6.
  const Table spacings = spacings_of(4, 20000, "spacings");
  CHECK((spacings.rowwise().sum().array() - 1).abs().maxCoeff() < kRounding);
  CHECK(spacings.squaredNorm() / 60000 == doctest::Approx(1.0 / 6).epsilon(0.02));
}

TEST_CASE("among ladders whose neighbours have to be apart, p is as often small as it says") {
  constexpr double kApart = 1.5;
  constexpr double kRange = 14;
  for (const size_t rungs : {4, 5}) {
    const Vector null = spreads_of(spacings_of(rungs, 4000, "null"));
    const Table own = spacings_of(rungs, 2000, "own");
    const double room = std::log(kRange) - static_cast<double>(rungs - 1) * std::log(kApart);
    size_t conditioned = 0;
    size_t plain = 0;
    for (Eigen::Index draw = 0; draw < own.rows(); ++draw) {
      std::vector<double> frequencies{2};
      for (Eigen::Index i = 0; i < own.cols(); ++i) {
        frequencies.push_back(frequencies.back() * kApart * std::exp(room * own(draw, i)));
      }
      conditioned += ladder_of(frequencies, null, kApart).ratio_p <= 0.05 ? 1 : 0;
      plain += ladder_of(frequencies, null, 1).ratio_p <= 0.05 ? 1 : 0;
    }
    CHECK(conditioned == doctest::Approx(100).epsilon(0.3));  // binomial: 100 ± 10
    CHECK(plain > 300);                                       // beside ladders that no circles can make, most look even
  }
  const std::array<double, 4> no_room{2, 3, 4.5, 6.7};
  CHECK(ladder_of(no_room, spreads_of(spacings_of(4, 100, "no room")), kApart).ratio_p == 1);
}
