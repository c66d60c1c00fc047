#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/matrix.hpp"
#include "engine/layers/packed_linear.hpp"
#include "every_kernel_set.hpp"

namespace summand {

namespace {

struct Shape {
  size_t rows;
  size_t depth;
  size_t columns;
};

model::Weights linear_weights(const Shape& shape, uint32_t seed) {
  model::Weights weights;
  weights.set("dense.weight",
              model::make_tensor({shape.columns, shape.depth}, test::random_floats(shape.columns * shape.depth, seed)));
  weights.set("dense.bias", model::make_tensor({shape.columns}, test::random_floats(shape.columns, seed + 1)));
  return weights;
}

engine::PackedLinear packed(const model::Weights& weights) {
  return {weights.at("dense.weight"), weights.at("dense.bias")};
}

Matrix<float> random_rows(size_t rows, size_t columns, uint32_t seed) {
  Matrix<float> matrix(rows, columns);
  std::ranges::copy(test::random_floats(rows * columns, seed), matrix.elements().begin());
  return matrix;
}

bool same_bits(std::span<const float> left, std::span<const float> right) {
  return left.size() == right.size() && std::memcmp(left.data(), right.data(), left.size_bytes()) == 0;
}

/// A chain of `depth` roundings, each at most half a unit of the largest partial sum.
double product_tolerance(double magnitude, size_t depth) {
  return magnitude * static_cast<double>(depth + 1) * 0x1p-24;
}

void check_against_double(const engine::SinglePrecisionKernels& kernels, const Shape& shape) {
  const model::Weights weights = linear_weights(shape, 7);
  const auto weight = model::to_matrix<double>(weights.at("dense.weight"));
  const auto bias = model::to_matrix<double>(weights.at("dense.bias"));
  const Matrix<float> rows = random_rows(shape.rows, shape.depth, 3);
  constexpr float kUntouched = -12345.0F;
  constexpr size_t kMargin = 20;
  std::vector<float> room((shape.columns + kMargin) * shape.rows, kUntouched);
  const MatrixView<float> out(room.data(), shape.rows, shape.columns, shape.columns + kMargin);
  packed(weights).multiply(kernels, rows.view(), out);
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t column = 0; column < shape.columns; ++column) {
      double want = bias(0, column);
      double magnitude = std::abs(want);
      for (size_t k = 0; k < shape.depth; ++k) {
        const double term = weight(column, k) * static_cast<double>(rows(row, k));
        want += term;
        magnitude += std::abs(term);
      }
      const double error = std::abs(static_cast<double>(out(row, column)) - want);
      if (!(error <= product_tolerance(magnitude, shape.depth))) FAIL("row ", row, ", column ", column, ": ", error);
    }
    for (size_t i = 0; i < kMargin; ++i) {
      if (room[row * (shape.columns + kMargin) + shape.columns + i] != kUntouched) FAIL("wrote beyond row ", row);
    }
  }
}

}  // namespace

TEST_CASE("the product agrees with double precision for every remainder of rows, columns and depth") {
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    for (size_t rows = 1; rows <= 19; ++rows) {
      for (const size_t columns : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 100}) {
        for (const size_t depth : {1, 2, 5, 37}) {
          INFO("rows ", rows, ", columns ", columns, ", depth ", depth);
          check_against_double(kernels, {rows, depth, columns});
        }
      }
    }
    check_against_double(kernels, {130, 384, 1152});
    check_against_double(kernels, {33, 1536, 384});
  });
}

TEST_CASE("a row of a product has the same bits alone, at any place, in any panel and with any split of the columns") {
  constexpr Shape kShape{70, 65, 250};
  const engine::PackedLinear linear = packed(linear_weights(kShape, 11));
  const Matrix<float> rows = random_rows(kShape.rows, kShape.depth, 5);
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    Matrix<float> together(kShape.rows, kShape.columns);
    linear.multiply(kernels, rows.view(), together.view());
    for (size_t count = 1; count <= kShape.rows; ++count) {
      const size_t begin = kShape.rows - count;
      Matrix<float> some(count, kShape.columns);
      for (size_t block = 0; block < linear.blocks(); ++block) {
        linear.multiply(kernels, rows.view().middle_rows(begin, count), some.view(), linear.block(block));
      }
      const auto want = together.view().middle_rows(begin, count);
      if (!same_bits(some.elements(), {want.data(), count * kShape.columns})) FAIL("panel of ", count, " rows");
    }
  });
}

TEST_CASE("stacked layers are computed as if each were alone") {
  const model::Weights first = linear_weights({1, 12, 21}, 1);
  const model::Weights second = linear_weights({1, 12, 5}, 2);
  model::Weights both;
  for (const auto& [name, tensor] : first) both.set("first." + name.substr(6), tensor);
  for (const auto& [name, tensor] : second) both.set("second." + name.substr(6), tensor);
  const std::array<std::string, 2> names{"first", "second"};
  engine::PackedStore store;
  const engine::PackedLinear stacked(both, names, store);
  const Matrix<float> rows = random_rows(9, 12, 5);
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    Matrix<float> out(9, 26);
    Matrix<float> out_first(9, 21);
    Matrix<float> out_second(9, 5);
    stacked.multiply(kernels, rows.view(), out.view());
    packed(first).multiply(kernels, rows.view(), out_first.view());
    packed(second).multiply(kernels, rows.view(), out_second.view());
    for (size_t row = 0; row < 9; ++row) {
      CHECK(same_bits(out.row(row).first(21), out_first.row(row)));
      CHECK(same_bits(out.row(row).last(5), out_second.row(row)));
    }
  });
}

TEST_CASE("a product with a missing weight names it") {
  CHECK_THROWS_WITH(packed(model::Weights()), "[weights] 'dense.weight' is missing");
}

}  // namespace summand
