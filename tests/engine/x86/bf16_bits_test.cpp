#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/every_kernel_set.hpp"
#include "engine/kernels/rounding.hpp"
#include "engine/kernels/x86/features.hpp"
#include "engine/kernels/x86/tables.hpp"
#include "engine/x86/vdpbf16ps.hpp"

// Products in bf16 have the bits of a chain of VDPBF16PS, by that instruction and without it.

namespace summand {

namespace {

using engine::Half;

struct Way {
  const char* name;
  const engine::Feature* needs;
  const engine::HalfKernels* kernels;
};

const Way kWays[] = {{"avx2", &engine::x86::kAvx2, &engine::avx2::kBf16Kernels},
                     {"avx512", &engine::x86::kAvx512, &engine::avx512::kBf16Kernels},
                     {"avx512_bf16", &engine::x86::kAvx512Bf16, &engine::avx512_bf16::kBf16Kernels}};

/// Numbers whose products lie near each other, near the smallest normal number, or anywhere.
enum class Numbers { usual, tiny, any };

std::vector<Half> halves(size_t count, Numbers numbers, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<Half> made(count);
  for (Half& number : made) {
    switch (numbers) {
      case Numbers::usual:
        number = engine::to_bf16(normal(random));
        break;
      case Numbers::tiny:
        number = engine::to_bf16(std::ldexp(normal(random), -60 - static_cast<int>(random() % 8)));
        break;
      case Numbers::any:
        number = {static_cast<uint16_t>(random())};
        break;
    }
  }
  return made;
}

void check(const engine::HalfKernels& kernels, size_t rows, size_t depth, size_t columns, Numbers numbers) {
  std::mt19937 random(static_cast<uint32_t>(rows * 1000 + depth * 10 + columns));
  const auto in = halves(rows * depth, numbers, random);
  const auto panels = halves(engine::whole_panels(columns) * depth, numbers, random);
  auto bias = test::random_floats(engine::whole_panels(columns), 3, numbers == Numbers::tiny ? 1e-38F : 1.0F);
  std::vector<float> out(rows * columns);
  kernels.product({.rows = in.data(),
                   .row_stride = depth,
                   .row_count = rows,
                   .depth = depth,
                   .panels = panels.data(),
                   .bias = bias.data(),
                   .columns = columns,
                   .out = {.floats = out.data(), .stride = columns}});
  for (size_t row = 0; row < rows; ++row) {
    for (size_t column = 0; column < columns; ++column) {
      float want = bias[column];
      for (size_t step = 0; step < depth / 2; ++step) {
        const Half* const a = in.data() + row * depth + step * 2;
        const Half* const b = panels.data() + (column / 16 * depth / 2 + step) * 32 + column % 16 * 2;
        want = test::vdpbf16ps(want, {a[0], a[1]}, {b[0], b[1]});
      }
      const float got = out[row * columns + column];
      if (std::isnan(want) && std::isnan(got)) continue;
      if (std::bit_cast<uint32_t>(got) != std::bit_cast<uint32_t>(want)) FAIL("row ", row, ", column ", column);
    }
  }
}

}  // namespace

TEST_CASE("a product in bf16 has the bits of VDPBF16PS, with that instruction or by fused multiply-adds") {
  size_t checked = 0;
  for (const Way& way : kWays) {
    if (!way.needs->is_present()) continue;
    ++checked;
    for (const Numbers numbers : {Numbers::usual, Numbers::tiny, Numbers::any}) {
      for (const size_t rows : {1, 4, 5, 6, 8, 9, 19}) {
        for (const size_t columns : {1, 16, 17, 33, 48, 70}) {
          for (const size_t depth : {2, 6, 40, 130}) {
            INFO(way.name, ", ", static_cast<int>(numbers), ": ", rows, " × ", depth, " × ", columns);
            check(*way.kernels, rows, depth, columns, numbers);
          }
        }
      }
    }
    // Deeper than rows that are widened beforehand.
    check(*way.kernels, 3, 8194, 17, Numbers::usual);
  }
  MESSAGE(checked, " ways");
  CHECK(checked > 0);
}

}  // namespace summand
