#include "model/position_encoding.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.hpp"

using namespace summand;
using namespace summand::model;

namespace {
constexpr double kRounding = 1e-12;
}

TEST_CASE("the interleaved table is the formula of Vaswani et al., section 3.5") {
  PositionEncoding encoding{.kind = PositionKind::sinusoidal};
  const auto table = sinusoidal_table(encoding, 512, 6);
  for (const size_t position : {size_t{0}, size_t{1}, size_t{511}}) {
    for (size_t i = 0; i < 3; ++i) {
      const double angle = static_cast<double>(position) / std::pow(10000.0, 2 * static_cast<double>(i) / 6);
      CHECK(std::abs(table(position, 2 * i) - std::sin(angle)) < kRounding);
      CHECK(std::abs(table(position, 2 * i + 1) - std::cos(angle)) < kRounding);
    }
  }
}

TEST_CASE("layout, first index, base and scale each change the table as named") {
  const PositionEncoding plain{.kind = PositionKind::sinusoidal};
  const auto table = sinusoidal_table(plain, 10, 4);
  PositionEncoding halves = plain;
  halves.layout = SinusoidLayout::halves;
  CHECK(sinusoidal_table(halves, 10, 4)(7, 1) == table(7, 2));
  CHECK(sinusoidal_table(halves, 10, 4)(7, 2) == table(7, 1));
  PositionEncoding from_one = plain;
  from_one.first_index = 1;
  CHECK(sinusoidal_table(from_one, 9, 4)(3, 2) == table(4, 2));
  PositionEncoding doubled = plain;
  doubled.scale = 2;
  CHECK(sinusoidal_table(doubled, 10, 4)(5, 0) == 2 * table(5, 0));
  PositionEncoding hundred = plain;
  hundred.base = 100;
  CHECK(std::abs(sinusoidal_table(hundred, 10, 4)(5, 2) - std::sin(0.5)) < kRounding);
}

TEST_CASE("inner products of the sinusoid depend on the distance alone") {
  const PositionEncoding encoding{.kind = PositionKind::sinusoidal};
  const auto table = sinusoidal_table(encoding, 200, 32);
  const auto product = [&](size_t m, size_t n) {
    double total = 0;
    for (size_t i = 0; i < 32; ++i) total += table(m, i) * table(n, i);
    return total;
  };
  CHECK(std::abs(product(0, 17) - product(150, 167)) < kRounding * 100);
  CHECK(std::abs(product(3, 3) - 16) < kRounding * 100);
}

TEST_CASE("an odd width and another kind are refused") {
  CHECK_THROWS_WITH_AS((void)sinusoidal_table({.kind = PositionKind::sinusoidal}, 4, 3),
                       "[position encoding] a sinusoidal table needs an even width, got 3", ConfigError);
  CHECK_THROWS_WITH_AS((void)sinusoidal_table({.kind = PositionKind::learned}, 4, 4),
                       "[position encoding] expected kind 'sinusoidal', got 'learned'", ConfigError);
}
