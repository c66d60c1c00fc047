#include "model/tensor.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "model/weights.hpp"

using namespace summand;
using namespace summand::model;

namespace {

Tensor of_bits(DType dtype, const std::vector<uint16_t>& bits) {
  return tensor_of(dtype, {bits.size()}, bits);
}

}  // namespace

TEST_CASE("binary16 converts exactly: normal, subnormal, zero, infinite, not a number") {
  const auto values = to_floats(of_bits(DType::f16, {0x3C00, 0xC000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x7BFF, 0x7C00,
                                                     0xFC00, 0x7E00, 0x0000, 0x8000, 0x3555}));
  CHECK(values[0] == 1.0F);
  CHECK(values[1] == -2.0F);
  CHECK(values[2] == 0x1p-24F);
  CHECK(values[3] == -0x1p-24F);
  CHECK(values[4] == 1023 * 0x1p-24F);
  CHECK(values[5] == 0x1p-14F);
  CHECK(values[6] == 65504.0F);
  CHECK(values[7] == std::numeric_limits<float>::infinity());
  CHECK(values[8] == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(values[9]));
  CHECK(!std::signbit(values[10]));
  CHECK((values[11] == 0 && std::signbit(values[11])));
  CHECK(values[12] == 0.333251953125F);
}

TEST_CASE("bfloat16 is the upper half of a float") {
  const auto values = to_floats(of_bits(DType::bf16, {0x3F80, 0xC049, 0x0001}));
  CHECK(values[0] == 1.0F);
  CHECK(values[1] == -3.140625F);
  CHECK(values[2] == 0x1p-133F);
}

TEST_CASE("floats lie in place only where they are aligned") {
  const Tensor tensor = make_tensor({2, 2}, std::vector<float>{1, 2, 3, 4});
  REQUIRE(floats_in_place(tensor));
  CHECK((*floats_in_place(tensor))[3] == 4);
  std::vector<std::byte> shifted(17);
  std::memcpy(shifted.data() + 1, tensor.bytes.data(), 16);
  const Tensor unaligned{DType::f32, {2, 2}, std::span(shifted).subspan(1), nullptr};
  CHECK_FALSE(floats_in_place(unaligned));
  CHECK(to_floats(unaligned) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("some rows are copied in their own type, with the scales of these rows and all factors") {
  Tensor bytes = tensor_of<int8_t>(DType::i8, {3, 2}, {1, 2, 3, 4, 5, 6});
  bytes.row_scales = {0.5F, 2.0F, 4.0F};
  const Tensor last = copied_rows(bytes, {1, 3});
  CHECK(describe(last) == "I8 [2, 2]");
  CHECK(to_floats(last) == std::vector<float>{6, 8, 20, 24});
  bytes.column_factors = {0.25F, 3.0F};
  CHECK(to_floats(copied_rows(bytes, {1, 3})) == std::vector<float>{1.5F, 24, 5, 72});
  const Tensor halves = tensor_of<uint16_t>(DType::f16, {2, 1}, {0x3C00, 0xC000});
  CHECK(to_floats(copied_rows(halves, {1, 2})) == std::vector<float>{-2});
  CHECK(copied_rows(halves, {1, 1}).elements() == 0);
  Tensor without_source = make_tensor({2, 1}, std::vector<float>{7, 8});
  const auto source = std::move(without_source.source);
  CHECK(to_floats(copied_rows(without_source, {0, 1})) == std::vector<float>{7});
}

TEST_CASE("a copy of weights can change without its original") {
  Weights original;
  original.set("a", make_tensor({1}, std::vector<float>{1}));
  Weights copy = original;
  copy.set("a", make_tensor({1}, std::vector<float>{2}));
  CHECK(to_floats(original.at("a"))[0] == 1);
  CHECK(to_floats(copy.at("a"))[0] == 2);
  CHECK_THROWS_WITH_AS((void)original.at("b"), "[weights] 'b' is missing", CheckpointError);
}

TEST_CASE("a tensor is described as safetensors names it") {
  CHECK(describe(make_tensor({2, 1}, std::vector<float>{1, 2})) == "F32 [2, 1]");
}
