#include "reference/dual.hpp"

#include <doctest/doctest.h>

#include <cmath>

using summand::reference::Dual;
using Second = Dual<Dual<double>>;

namespace {

constexpr double kRounding = 1e-13;

/// x seeded for first and second derivatives by itself.
Second seeded(double x) {
  return {Dual<double>(x, 1), Dual<double>(1, 0)};
}

void check(const Second& result, double value, double first, double second) {
  CHECK(std::abs(result.value.value - value) < kRounding);
  CHECK(std::abs(result.value.derivative - first) < kRounding);
  CHECK(std::abs(result.derivative.value - first) < kRounding);
  CHECK(std::abs(result.derivative.derivative - second) < kRounding);
}

}  // namespace

TEST_CASE("every function carries its closed first and second derivative") {
  const double x = 0.7;
  const Second s = seeded(x);
  check(s * s * s, x * x * x, 3 * x * x, 6 * x);
  check(Second(1) / s, 1 / x, -1 / (x * x), 2 / (x * x * x));
  check(-s - Second(2) + s + s, x - 2, 1, 0);
  check(exp(s), std::exp(x), std::exp(x), std::exp(x));
  check(sqrt(s), std::sqrt(x), 0.5 / std::sqrt(x), -0.25 / (x * std::sqrt(x)));
  const double t = std::tanh(x);
  check(tanh(s), t, 1 - t * t, -2 * t * (1 - t * t));
  const double bell = 2 / std::sqrt(std::acos(-1.0)) * std::exp(-x * x);
  check(erf(s), std::erf(x), bell, -2 * x * bell);
  check(s * 2.5, 2.5 * x, 2.5, 0);
}

TEST_CASE("order is that of the values, whatever the derivatives") {
  CHECK(Dual<double>(1, 9) < Dual<double>(2, 0));
  CHECK_FALSE(Dual<double>(2, 0) < Dual<double>(1, 9));
}
