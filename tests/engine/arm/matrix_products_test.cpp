#include "engine/kernels/arm/matrix_products.hpp"

#include <doctest/doctest.h>

#include "engine/arm/matrix_model.hpp"
#include "engine/plain_vector.hpp"
#include "engine/product_cases.hpp"

// Products by BFMMLA and USMMLA over a plain model of them, on any architecture.

namespace summand {

namespace {

using test::MatrixModel;
using test::PlainBf16;
using test::PlainVector;

constexpr engine::PanelLayout kFours{.per_step = 4, .depth_multiple = 4};
constexpr engine::PanelLayout kEights{.per_step = 8, .depth_multiple = 8};

constexpr auto kHalfProduct =
    engine::arm::matrix_product<engine::arm::Bf16Matrices<MatrixModel, PlainVector, PlainBf16>>;
constexpr auto kByteProduct =
    engine::arm::matrix_product<engine::arm::Int8Matrices<MatrixModel, PlainVector, PlainBf16>>;

}  // namespace

TEST_CASE("a sum rounded to odd keeps in its last bit that something was lost") {
  using test::add_to_odd;
  CHECK(add_to_odd(1.0F, 2.0F) == 3.0F);
  CHECK(add_to_odd(1.0F, 0x1p-30F) == 0x1.000002p0F);
  CHECK(add_to_odd(1.0F, -0x1p-30F) == 0x1.fffffep-1F);
  CHECK(add_to_odd(0x1.000002p0F, 0x1p-60F) == 0x1.000002p0F);
  CHECK(add_to_odd(-1.0F, 0x1p-100F) == -0x1.fffffep-1F);
  CHECK(add_to_odd(0x1.fffffep127F, 0x1.fffffep127F) == 0x1.fffffep127F);
  CHECK(add_to_odd(0x1p-126F, -0x1.8p-126F) == 0.0F);
}

TEST_CASE("a product of bf16 by small matrices agrees with double precision for every remainder of rows and columns") {
  test::check_bf16_product(kFours, kHalfProduct);
}

TEST_CASE("a row of a product by small matrices has the same bits whatever rows are beside it") {
  test::check_rows_alone(kFours, kHalfProduct);
}

TEST_CASE("a product of bytes by small matrices is the exact sum, scaled once") {
  test::check_int8_product(kEights, kByteProduct);
}

}  // namespace summand
