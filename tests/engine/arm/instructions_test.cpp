#include <doctest/doctest.h>

#include <cstring>

#include "engine/arm/matrix_model.hpp"
#include "engine/kernels/arm/features.hpp"
#include "engine/kernels/arm/matrix_products.hpp"
#include "engine/kernels/arm/tables.hpp"
#include "engine/plain_vector.hpp"
#include "engine/product_cases.hpp"

// The instructions of aarch64 beside the plain models of them, where the processor has them.

namespace summand {

TEST_CASE("BFMMLA does what the model of it does" * doctest::skip(!engine::arm::kBf16.is_present())) {
  const auto layout = engine::neon_matrix::kBf16Kernels.layout;
  const auto by_model =
      engine::arm::matrix_product<engine::arm::Bf16Matrices<test::MatrixModel, test::PlainVector, test::PlainBf16>>;
  test::for_every_remainder([&](size_t rows, size_t columns) {
    test::Bf16Case numbers(layout, rows, 96, columns);
    by_model(numbers.task(true));
    const auto want = numbers.out;
    engine::neon_matrix::kBf16Kernels.product(numbers.task(true));
    CHECK(std::memcmp(numbers.out.data(), want.data(), want.size() * sizeof(float)) == 0);
  });
}

TEST_CASE("USMMLA sums bytes exactly" * doctest::skip(!engine::arm::kI8mm.is_present())) {
  test::check_int8_product(engine::neon_matrix::kInt8Kernels.layout, engine::neon_matrix::kInt8Kernels.product);
}

TEST_CASE("SDOT sums bytes exactly" * doctest::skip(!engine::arm::kDot.is_present())) {
  test::check_int8_product(engine::neon_dot::kInt8Kernels.layout, engine::neon_dot::kInt8Kernels.product);
}

}  // namespace summand
