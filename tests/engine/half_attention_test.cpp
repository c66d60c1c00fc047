#include "engine/layers/half_attention.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "every_kernel_set.hpp"

namespace summand {

namespace {

using engine::Half;

/// Products read rows of queries up to a multiple of PanelLayout::depth_multiple, which is at most this.
constexpr size_t kDeepest = 32;

/// Query, key and value of one head, in bf16, with the first number of another head behind each row.
struct Head {
  size_t length;
  size_t head_size;
  std::vector<Half> query_key_value;

  Head(size_t tokens, size_t size, uint32_t seed) : length(tokens), head_size(size) {
    const size_t count = tokens * 3 * (size + 1);
    const auto values = test::random_floats(count, seed);
    query_key_value.resize(count + kDeepest);
    engine::generic::kBf16Kernels.round(
        {.values = values.data(), .row_count = 1, .columns = count, .out = query_key_value.data()});
  }

  [[nodiscard]] MatrixView<const Half> part(size_t index) const {
    const MatrixView<const Half> all(query_key_value.data(), length, 3 * (head_size + 1));
    return all.middle_columns(index * (head_size + 1), head_size);
  }
  [[nodiscard]] double number(size_t index, size_t row, size_t column) const {
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(part(index)(row, column).bits) << 16U));
  }

  [[nodiscard]] std::vector<double> exact_context(size_t row) const {
    std::vector<double> context(head_size);
    double total = 0;
    for (size_t token = 0; token < length; ++token) {
      double score = 0;
      for (size_t k = 0; k < head_size; ++k) score += number(0, row, k) * number(1, token, k);
      const double weight = std::exp(score / std::sqrt(static_cast<double>(head_size)));
      total += weight;
      for (size_t k = 0; k < head_size; ++k) context[k] += weight * number(2, token, k);
    }
    for (double& value : context) value /= total;
    return context;
  }
};

/// Each weight is rounded to eight bits; values are around 1 and seldom above 4.
constexpr double kWeightRounding = 4 * 0x1.02p-9;

void check(const engine::HalfKernels& kernels, size_t length, size_t head_size) {
  const Head head(length, head_size, static_cast<uint32_t>(length * 100 + head_size));
  REQUIRE(kernels.layout.depth_multiple <= kDeepest);
  engine::HalfAttentionScratch scratch;
  scratch.fit(kernels.layout, length, head_size);
  std::vector<float> context(length * head_size);
  attend(kernels,
         {.query = head.part(0),
          .key = head.part(1),
          .value = head.part(2),
          .context = {.floats = context.data(), .stride = head_size},
          .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(head_size)))},
         scratch);
  for (size_t row = 0; row < length; ++row) {
    const auto want = head.exact_context(row);
    for (size_t k = 0; k < head_size; ++k) {
      const double error = std::abs(static_cast<double>(context[row * head_size + k]) - want[k]);
      if (!(error <= kWeightRounding)) FAIL("length ", length, ", head size ", head_size, ", row ", row, ": ", error);
    }
  }
}

}  // namespace

TEST_CASE("attention in bf16 agrees with double precision on the same numbers, to the rounding of its weights") {
  for (const auto* const kernels : {&engine::generic::kBf16Kernels, engine::available_kernel_sets().back()->bf16}) {
    if (kernels == nullptr) continue;
    for (const size_t head_size : {1, 3, 16, 32, 33, 64}) {
      for (const size_t length : {1, 2, 15, 16, 17, 47, 130}) check(*kernels, length, head_size);
    }
  }
}

TEST_CASE("some query rows have the same bits as all of them") {
  const auto* const kernels = engine::available_kernel_sets().back()->bf16;
  if (kernels == nullptr) return;
  const Head head(100, 32, 1);
  engine::HalfAttentionScratch scratch;
  scratch.fit(kernels->layout, 100, 32);
  std::vector<float> all(100 * 32);
  attend(*kernels, {head.part(0), head.part(1), head.part(2), {.floats = all.data(), .stride = 32}, 0.25F}, scratch);
  for (const size_t first : {0, 1, 50, 97}) {
    const size_t count = std::min<size_t>(3, 100 - first);
    std::vector<float> some(count * 32);
    attend(*kernels,
           {head.part(0).middle_rows(first, count),
            head.part(1),
            head.part(2),
            {.floats = some.data(), .stride = 32},
            0.25F},
           scratch);
    for (size_t i = 0; i < some.size(); ++i) CHECK(some[i] == all[first * 32 + i]);
  }
}

}  // namespace summand
