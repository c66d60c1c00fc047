#include "engine/kernels/simd/half_chains.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "engine/every_kernel_set.hpp"
#include "engine/kernels/rounding.hpp"
#include "engine/kernels/simd/half_kernels.hpp"
#include "engine/kernels/simd/product_kernel.hpp"
#include "engine/kernels/x86/features.hpp"
#include "engine/kernels/x86/tables.hpp"
#include "engine/plain_vector.hpp"
#include "engine/x86/half_model.hpp"

// Products in fp16 over a plain model of the instructions, and by the instructions where the machine has them.

namespace summand {

namespace {

using engine::Half;
using test::PlainVector;

struct PlainFp16 {
  static void store(Half* to, size_t count, const PlainVector& values) {
    std::transform(values.lanes, values.lanes + count, to, engine::to_fp16);
  }
};
using Chains = engine::simd::HalfChains<test::PlainHalves, PlainVector, PlainFp16>;

void multiply(const engine::HalfProductTask& task) {
  engine::simd::product<Chains, PlainVector, 4, 2>(task);
}

/// A product of random numbers in one format of 16 bits.
struct Numbers {
  size_t rows, depth, columns;
  std::vector<float> exact_in, exact_matrix, bias;
  std::vector<Half> in, panels;

  Numbers(size_t row_count, size_t deep, size_t column_count, Half (*rounded)(float))
      : rows(row_count),
        depth(deep),
        columns(column_count),
        exact_in(test::random_floats(row_count * deep, 1)),
        exact_matrix(test::random_floats(deep * column_count, 2, 0.05F)),
        bias(test::random_floats(engine::whole_panels(column_count), 3)),
        in(exact_in.size()),
        panels(engine::whole_panels(column_count) * deep) {
    for (size_t i = 0; i < in.size(); ++i) in[i] = rounded(exact_in[i]);
    for (size_t k = 0; k < depth; ++k) {
      for (size_t column = 0; column < columns; ++column) {
        panels[place(k, column)] = rounded(exact_matrix[k * columns + column]);
      }
    }
  }
  [[nodiscard]] size_t place(size_t k, size_t column) const {
    return column / 16 * 16 * depth + (k / 2 * 16 + column % 16) * 2 + k % 2;
  }
  [[nodiscard]] std::vector<float> product(void (*multiplied)(const engine::HalfProductTask&)) const {
    std::vector<float> out(rows * columns);
    multiplied({.rows = in.data(),
                .row_stride = depth,
                .row_count = rows,
                .depth = depth,
                .panels = panels.data(),
                .bias = bias.data(),
                .columns = columns,
                .out = {.floats = out.data(), .stride = columns}});
    return out;
  }
  /// Root mean square of the difference from the product of the numbers before they were rounded.
  [[nodiscard]] double error(const std::vector<float>& got) const {
    double squares = 0;
    for (size_t row = 0; row < rows; ++row) {
      for (size_t column = 0; column < columns; ++column) {
        auto want = static_cast<double>(bias[column]);
        for (size_t k = 0; k < depth; ++k) {
          want +=
              static_cast<double>(exact_in[row * depth + k]) * static_cast<double>(exact_matrix[k * columns + column]);
        }
        squares += std::pow(static_cast<double>(got[row * columns + column]) - want, 2);
      }
    }
    return std::sqrt(squares / static_cast<double>(rows * columns));
  }
};

}  // namespace

TEST_CASE("a product in fp16 has the bits of its definition for every remainder of rows, columns and depth") {
  for (const size_t rows : {1, 3, 4, 5, 9}) {
    for (const size_t columns : {1, 16, 17, 33}) {
      for (const size_t depth : {2, 62, 64, 66, 130}) {
        const Numbers numbers(rows, depth, columns, engine::to_fp16);
        const auto got = numbers.product(multiply);
        for (size_t row = 0; row < rows; ++row) {
          for (size_t column = 0; column < columns; ++column) {
            float totals[2] = {};
            for (size_t first = 0; first < depth; first += 64) {
              for (size_t i = 0; i < 2; ++i) {
                Half chain;
                for (size_t k = first + i; k < std::min(first + 64, depth); k += 2) {
                  chain =
                      test::fused_halves(numbers.in[row * depth + k], numbers.panels[numbers.place(k, column)], chain);
                }
                totals[i] += float_of_fp16(chain);
              }
            }
            const float want = totals[0] + totals[1] + numbers.bias[column];
            if (got[row * columns + column] != want) FAIL(rows, " × ", depth, " × ", columns, ": row ", row);
          }
        }
      }
    }
  }
}

TEST_CASE("a product in fp16 errs less than one in bf16, however deep") {
  for (const size_t depth : {32, 384, 3072}) {
    const Numbers fp16(7, depth, 40, engine::to_fp16);
    const Numbers bf16(7, depth, 40, engine::to_bf16);
    const double of_fp16 = fp16.error(fp16.product(multiply));
    const double of_bf16 = bf16.error(bf16.product(engine::generic::kBf16Kernels.product));
    MESSAGE("depth ", depth, ": ", of_fp16, " in fp16, ", of_bf16, " in bf16");
    CHECK(of_fp16 < 0.6 * of_bf16);
  }
}

TEST_CASE("a score that overflows in fp16 makes its row no number, on either side") {
  for (const float beyond : {HUGE_VALF, -HUGE_VALF}) {
    for (const size_t length : {1, 16, 21}) {
      std::vector<float> scores(length, 1.0F);
      scores[length / 2] = beyond;
      std::vector<Half> weights(length);
      float factor = 0;
      const engine::HalfSoftmaxTask task{.scores = scores.data(),
                                         .stride = length,
                                         .row_count = 1,
                                         .length = length,
                                         .weights = weights.data(),
                                         .weight_stride = length,
                                         .factors = &factor};
      engine::generic::kFp16Kernels.softmax(task);
      CHECK(std::isnan(factor));
      if (!engine::x86::kAvx512Fp16.is_present()) continue;
      factor = 0;
      engine::avx512_fp16::kFp16Kernels.softmax(task);
      CHECK(std::isnan(factor));
    }
  }
}

TEST_CASE("the instructions for halves do what the model of them does" *
          doctest::skip(!engine::x86::kAvx512Fp16.is_present())) {
  for (const size_t rows : {1, 4, 7}) {
    for (const size_t columns : {1, 16, 17, 70}) {
      const Numbers numbers(rows, 130, columns, engine::to_fp16);
      const auto want = numbers.product(multiply);
      const auto got = numbers.product(engine::avx512_fp16::kFp16Kernels.product);
      CHECK(std::memcmp(got.data(), want.data(), want.size() * sizeof(float)) == 0);
    }
  }
}

}  // namespace summand
