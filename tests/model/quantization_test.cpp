#include "model/quantization.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace summand;
using namespace summand::model;

namespace {

/// Of a scale: half a step, and what the quotient's rounding to float adds where it falls on a tie.
constexpr double kHalfAStep = 0.5001;

/// The nearest integer, ties to even, from the halves around it: nothing that the code under test uses.
int nearest(double number) {
  const double below = std::floor(number);
  const double rest = number - below;
  const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
  return static_cast<int>(below) + (up ? 1 : 0);
}

Tensor stored_in_8_bits(std::vector<size_t> shape, const std::vector<int8_t>& values, std::vector<float> scales) {
  Tensor tensor = tensor_of(DType::i8, std::move(shape), values);
  tensor.row_scales = std::move(scales);
  return tensor;
}

}  // namespace

TEST_CASE("a row's scale is its largest magnitude over 127, its values the nearest multiples") {
  const auto quantized =
      quantize_weight(make_tensor({2, 3}, std::vector<float>{127, -63.6F, 0.4F, -0.5F, 0.25F, 0.0625F}));
  CHECK(quantized.out == 2);
  CHECK(quantized.in == 3);
  CHECK(quantized.scales == std::vector<float>{1, 0.5F / 127});
  CHECK(quantized.values == std::vector<int8_t>{127, -64, 0, -127, 64, 16});
}

TEST_CASE("a number halfway between two multiples goes to the even one") {
  const auto quantized = quantize_weight(
      make_tensor({1, 8}, std::vector<float>{254, 1, 3, 5, -1, -3, 253, -253}));  // scale 2: halves of odd numbers
  CHECK(quantized.scales[0] == 2);
  CHECK(quantized.values == std::vector<int8_t>{127, 0, 2, 2, 0, -2, 126, -126});
}

TEST_CASE("a row of zeros has scale 0, and so has one that no float is a 127th of") {
  const float least = std::numeric_limits<float>::denorm_min();
  const auto quantized = quantize_weight(make_tensor({3, 2}, std::vector<float>{0, -0.0F, 1, -1, least, -least}));
  CHECK(quantized.scales == std::vector<float>{0, 1.0F / 127, 0});
  CHECK(quantized.values == std::vector<int8_t>{0, 0, 127, -127, 0, 0});
}

TEST_CASE("the largest and the smallest floats stay within 127 steps") {
  const float most = std::numeric_limits<float>::max();
  const float tiny = 0x1p-140F;
  const auto quantized = quantize_weight(make_tensor({2, 3}, std::vector<float>{most, -most, 1, tiny, -tiny, 0}));
  CHECK(std::ranges::all_of(quantized.scales, [](float scale) { return std::isfinite(scale) && scale > 0; }));
  CHECK(quantized.values == std::vector<int8_t>{127, -127, 0, 127, -127, 0});
  CHECK(std::isfinite(quantized.scales[0] * 127));
  CHECK(quantized.scales[0] == kLargestScale);
  CHECK(std::isinf(std::nextafter(kLargestScale, most) * 127));
}

TEST_CASE("the weights of the encoder's dense layers are quantised, six a layer, and nothing else") {
  Config config;
  config.vocab_size = config.hidden_size = config.num_attention_heads = config.intermediate_size = 2;
  config.max_position_embeddings = config.type_vocab_size = 2;
  config.num_hidden_layers = 3;
  const ModelParts parts{.pooler = Pooler::present, .heads = {Head::masked_language}, .decoder = Decoder::own};
  std::vector<std::string> names;
  for (const auto& parameter : parameters(config, parts)) {
    if (is_dense_weight(parameter)) names.push_back(parameter.name);
  }
  REQUIRE(names.size() == 18);
  CHECK(std::vector(names.begin() + 6, names.begin() + 12) ==
        std::vector<std::string>{
            "encoder.layer.1.attention.self.query.weight", "encoder.layer.1.attention.self.key.weight",
            "encoder.layer.1.attention.self.value.weight", "encoder.layer.1.attention.output.dense.weight",
            "encoder.layer.1.intermediate.dense.weight", "encoder.layer.1.output.dense.weight"});
  CHECK(scale_name(names[0]) == "encoder.layer.0.attention.self.query.weight_scale");
}

TEST_CASE("random rows are rounded to the nearest multiple, at most half a step away") {
  constexpr size_t kOut = 37;
  constexpr size_t kIn = 101;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> weights(kOut * kIn);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = normal(random) * std::exp2(static_cast<float>(i / kIn) - 18);
  const auto quantized = quantize_weight(make_tensor({kOut, kIn}, weights));
  for (size_t row = 0; row < kOut; ++row) {
    const double scale = quantized.scales[row];
    int largest = 0;
    for (size_t i = row * kIn; i < (row + 1) * kIn; ++i) {
      const float quotient = weights[i] / quantized.scales[row];
      CHECK(quantized.values[i] == nearest(quotient));
      CHECK(std::fabs(scale * quantized.values[i] - static_cast<double>(weights[i])) <= kHalfAStep * scale);
      largest = std::max(largest, std::abs(int{quantized.values[i]}));
    }
    CHECK(largest == 127);
  }
}

TEST_CASE("halves are quantised as the floats that they are") {
  const std::vector<uint16_t> bits{0x3C00, 0xB800, 0x3555, 0x0001};  // 1, -0.5, about a third, 2^-24
  const Tensor half{DType::f16, {2, 2}, std::as_bytes(std::span(bits)), nullptr};
  const auto from_half = quantize_weight(half);
  const auto from_float = quantize_weight(make_tensor({2, 2}, to_floats(half)));
  CHECK(from_half.scales == from_float.scales);
  CHECK(from_half.values == from_float.values);
  CHECK(from_half.values == std::vector<int8_t>{127, -64, 127, 0});
}

TEST_CASE("a weight stored in 8 bits gives what is stored") {
  const std::vector<int8_t> values{5, -3, 127, 0, 0, -127};
  const std::vector<float> scales{0.25F, 0, 3};
  const auto quantized = quantize_weight(stored_in_8_bits({3, 2}, values, scales));
  CHECK(quantized.out == 3);
  CHECK(quantized.in == 2);
  CHECK(quantized.values == values);
  CHECK(quantized.scales == scales);
}

TEST_CASE("the numbers of a weight in 8 bits are float products, in double precision too") {
  const float third = 1.0F / 3;
  const Tensor tensor = stored_in_8_bits({2, 2}, {127, -101, 1, -127}, {third, 0});
  const std::vector<float> floats{third * 127, third * -101, 0, 0};
  CHECK(to_floats(tensor) == floats);
  CHECK(to_doubles(tensor) == std::vector<double>(floats.begin(), floats.end()));
  CHECK(static_cast<double>(floats[0]) != static_cast<double>(third) * 127);  // or the case could not tell
  CHECK(describe(tensor) == "I8 [2, 2]");
  CHECK_FALSE(floats_in_place(tensor));
}
