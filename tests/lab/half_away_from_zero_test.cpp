// Halves are rounded away from zero, as the page's JavaScript rounds them; nothing else is rounded otherwise than by
// fmt.
#include "lab/core/half_away_from_zero.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/random_stream.hpp"

using summand::lab::HalfAwayFromZero;

TEST_CASE("an exact half is rounded away from zero, by decimals and by digits") {
  CHECK(fmt::format("{:.0f}", HalfAwayFromZero{3458.5}) == "3459");
  CHECK(fmt::format("{:.0f}", HalfAwayFromZero{-3458.5}) == "-3459");
  CHECK(fmt::format("{:.0f}", HalfAwayFromZero{0.5}) == "1");
  CHECK(fmt::format("{:.1f}", HalfAwayFromZero{2.25}) == "2.3");
  CHECK(fmt::format("{:.2f}", HalfAwayFromZero{0.125}) == "0.13");
  CHECK(fmt::format("{:+.2f}", HalfAwayFromZero{0.625}) == "+0.63");
  CHECK(fmt::format("{:.2g}", HalfAwayFromZero{2.25}) == "2.3");
  CHECK(fmt::format("{:.3g}", HalfAwayFromZero{-2.125}) == "-2.13");
  CHECK(fmt::format("{:.2g}", HalfAwayFromZero{12.5}) == "13");
  CHECK(fmt::format("{:.2g}", HalfAwayFromZero{125}) == "1.3e+02");
  CHECK(fmt::format("{:.1e}", HalfAwayFromZero{1.25}) == "1.3e+00");
}

TEST_CASE("what only looks like a half is rounded to where it lies") {
  CHECK(fmt::format("{:.2f}", HalfAwayFromZero{1.005}) == "1.00");  // below it, as a double
  CHECK(fmt::format("{:.2f}", HalfAwayFromZero{1.115}) == "1.11");  // JavaScript's toFixed too
  CHECK(fmt::format("{:.1f}", HalfAwayFromZero{0.35}) == "0.3");
  const double below = std::nextafter(2.25, 0);
  CHECK(fmt::format("{:.1f}", HalfAwayFromZero{below}) == "2.2");
}

TEST_CASE("formats that keep all digits, and what is no number, stay as fmt has them") {
  CHECK(fmt::format("{}", HalfAwayFromZero{0.125}) == "0.125");
  CHECK(fmt::format("{:g}", HalfAwayFromZero{2.5}) == "2.5");
  CHECK(fmt::format("{:>8.1f}", HalfAwayFromZero{2.25}) == "     2.3");
  CHECK(fmt::format("{:.1f}", HalfAwayFromZero{std::numeric_limits<double>::infinity()}) == "inf");
  CHECK(fmt::format("{:.2f}", HalfAwayFromZero{0}) == "0.00");
  CHECK(fmt::format("{:.3g}", HalfAwayFromZero{1e300}) == "1e+300");
  CHECK(fmt::format("{:.3g}", HalfAwayFromZero{1e-300}) == "1e-300");
  summand::RandomStream stream(1, "rounded");
  for (int i = 0; i < 1000; ++i) {
    const double value = stream.normal() * std::pow(10, i % 9 - 4);
    CHECK(fmt::format("{:.3g} {:.2f}", HalfAwayFromZero{value}, HalfAwayFromZero{value}) ==
          fmt::format("{0:.3g} {0:.2f}", value));
  }
}
