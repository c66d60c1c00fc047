#include "base/half.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace summand {

namespace {

/// The definition of binary16.
double value_of(unsigned half) {
  const double sign = (half & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((half >> 10) & 0x1FU);
  const double fraction = half & 0x3FFU;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

}  // namespace

TEST_CASE("every half-precision number is read as its definition says, and written back") {
  for (unsigned half = 0; half < 0x10000; ++half) {
    const float value = half_to_float(static_cast<uint16_t>(half));
    const unsigned magnitude = half & 0x7FFFU;
    if (magnitude > 0x7C00U) {
      REQUIRE(std::isnan(value));
      REQUIRE(std::isnan(half_to_float(float_to_half(value))));
      continue;
    }
    if (magnitude == 0x7C00U) {
      REQUIRE(std::isinf(value));
    } else {
      REQUIRE(static_cast<double>(value) == value_of(half));
    }
    REQUIRE(std::signbit(value) == (half >= 0x8000U));
    REQUIRE(float_to_half(value) == half);
  }
}

TEST_CASE("between two half-precision numbers the nearer one is taken, half-way the even one") {
  for (unsigned half = 0; half < 0x7C00U; ++half) {
    const auto low = static_cast<float>(value_of(half));
    const auto high = static_cast<float>(half == 0x7BFFU ? 65536.0 : value_of(half + 1));
    const float middle = low + (high - low) / 2;
    REQUIRE(float_to_half(std::nextafter(middle, low)) == half);
    REQUIRE(float_to_half(std::nextafter(middle, high)) == half + 1);
    REQUIRE(float_to_half(middle) == half + half % 2);
    REQUIRE(float_to_half(-middle) == 0x8000U + half + half % 2);
  }
  CHECK(float_to_half(std::numeric_limits<float>::max()) == 0x7C00U);
}

}  // namespace summand
