#include "engine/kernels/x86/tile_products.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "engine/kernels/x86/features.hpp"
#include "engine/kernels/x86/tables.hpp"
#include "engine/plain_vector.hpp"
#include "engine/product_cases.hpp"
#include "engine/x86/tile_model.hpp"

// Products by tiles, over a plain model of the instructions, and by the instructions where the machine has them.

namespace summand {

namespace {

using test::PlainBf16;
using test::PlainVector;
using test::TileModel;

constexpr engine::PanelLayout kPairs{.per_step = 2, .depth_multiple = 32};
constexpr engine::PanelLayout kFours{.per_step = 4, .depth_multiple = 64};

void multiply(const engine::HalfProductTask& task) {
  using Kind = engine::x86::Bf16Tiles<TileModel, PlainVector, PlainBf16>;
  engine::x86::TileProduct<Kind, TileModel>::run(task);
}
void multiply(const engine::Int8ProductTask& task) {
  using Kind = engine::x86::Int8Tiles<TileModel, PlainVector, PlainBf16>;
  engine::x86::TileProduct<Kind, TileModel>::run(task);
}
constexpr auto kMultiply = [](const auto& task) { multiply(task); };

}  // namespace

TEST_CASE("a product of bf16 by tiles agrees with double precision for every remainder of rows and columns") {
  test::check_bf16_product(kPairs, kMultiply);
}

TEST_CASE("a row of a product by tiles has the same bits whatever rows are beside it") {
  test::check_rows_alone(kPairs, kMultiply);
}

TEST_CASE("a product of bytes by tiles is the exact sum, scaled once") {
  test::check_int8_product(kFours, kMultiply);
}

TEST_CASE("tiles are shaped only when the number of rows asks for it, and again after a thread's new beginning") {
  using Shaping = engine::x86::TileShaping<TileModel>;
  test::Bf16Case many(kPairs, 40, 32, 20);
  test::Bf16Case few(kPairs, 7, 32, 20);
  Shaping::release();
  const int before = TileModel::configured;
  multiply(many.task(true));
  multiply(many.task(true));
  CHECK(TileModel::configured == before + 1);
  multiply(few.task(true));
  multiply(few.task(true));
  CHECK(TileModel::configured == before + 2);
  Shaping::forget();
  multiply(few.task(true));
  CHECK(TileModel::configured == before + 3);
  Shaping::release();
  CHECK_THROWS(TileModel::zero<0>());
}

TEST_CASE("the instructions do what the model of them does" *
          doctest::skip(!engine::x86::kAmxTile.is_present() || !engine::x86::kAmxBf16.is_present())) {
  test::for_every_remainder([](size_t rows, size_t columns) {
    test::Bf16Case numbers(kPairs, rows, 96, columns);
    multiply(numbers.task(true));
    const auto want = numbers.out;
    engine::amx::begin_work();
    engine::amx::kBf16Kernels.product(numbers.task(true));
    engine::amx::end_work();
    CHECK(std::memcmp(numbers.out.data(), want.data(), want.size() * sizeof(float)) == 0);
  });
  test::check_int8_product(kFours, engine::amx::kInt8Kernels.product);
  engine::amx::end_work();
}

}  // namespace summand
