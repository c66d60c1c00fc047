#include "engine/layers/attention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/kernels/rounding.hpp"
#include "every_kernel_set.hpp"

namespace summand {

namespace {

/// The context is a mean of values around 1, its weights exponentials of scores that are rounded at about 10.
constexpr double kAttentionTolerance = 1e-5;

/// Query, key, value and context of two heads side by side, as they lie in the engine.
struct Heads {
  size_t length;
  size_t head_size;
  std::vector<float> query_key_value;
  std::vector<float> context;

  Heads(size_t tokens, size_t size, uint32_t seed)
      : length(tokens),
        head_size(size),
        query_key_value(test::random_floats(tokens * 6 * size, seed)),
        context(tokens * 2 * size, -7.0F) {}

  [[nodiscard]] engine::AttentionHead head(size_t index) {
    const MatrixView<const float> all(query_key_value.data(), length, 6 * head_size);
    const MatrixView<float> out(context.data(), length, 2 * head_size);
    return {.query = all.middle_columns(index * head_size, head_size),
            .key = all.middle_columns((2 + index) * head_size, head_size),
            .value = all.middle_columns((4 + index) * head_size, head_size),
            .context = out.middle_columns(index * head_size, head_size),
            .scale = static_cast<float>(1 / std::sqrt(static_cast<double>(head_size)))};
  }
};

std::vector<double> exact_context(const engine::AttentionHead& head, size_t row) {
  std::vector<double> weights;
  double total = 0;
  for (size_t token = 0; token < head.key.rows(); ++token) {
    double score = 0;
    for (size_t k = 0; k < head.key.columns(); ++k) {
      score += static_cast<double>(head.query(row, k)) * static_cast<double>(head.key(token, k));
    }
    weights.push_back(std::exp(score / std::sqrt(static_cast<double>(head.key.columns()))));
    total += weights.back();
  }
  std::vector<double> context(head.value.columns());
  for (size_t token = 0; token < weights.size(); ++token) {
    for (size_t k = 0; k < context.size(); ++k) {
      context[k] += weights[token] / total * static_cast<double>(head.value(token, k));
    }
  }
  return context;
}

std::vector<size_t> lengths() {
  std::vector<size_t> list{127, 128, 129, 511, 512, 2048};
  for (size_t length = 1; length <= 70; ++length) list.push_back(length);
  return list;
}

}  // namespace

TEST_CASE("keys lie as a product's panels at every length and head size") {
  const size_t stride = 70;
  const auto rows = test::random_floats(40 * stride, 5);
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    for (size_t length = 1; length <= 40; ++length) {
      for (const size_t head_size : {1, 2, 7, 8, 15, 16, 17, 32, 33, 64}) {
        INFO("length ", length, ", head size ", head_size);
        std::vector<float> panels(engine::whole_panels(length) * head_size + 1, -7.0F);
        kernels.pack_keys({rows.data(), stride, length, head_size, panels.data()});
        size_t wrong = 0;
        for (size_t token = 0; token < engine::whole_panels(length); ++token) {
          for (size_t k = 0; k < head_size; ++k) {
            const float want = token < length ? rows[token * stride + k] : 0.0F;
            wrong += panels[(token / 16 * head_size + k) * 16 + token % 16] == want ? 0U : 1U;
          }
        }
        CHECK(wrong == 0);
        CHECK(panels.back() == -7.0F);
      }
    }
  });
}

TEST_CASE("attention agrees with double precision at every length and head size") {
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    for (const size_t length : lengths()) {
      for (const size_t head_size : {1, 2, 3, 4, 5, 6, 7, 8, 9, 32, 64}) {
        if (length > 70 && head_size < 32 && head_size != 5) continue;
        INFO("length ", length, ", head size ", head_size);
        Heads heads(length, head_size, static_cast<uint32_t>(length));
        engine::AttentionScratch scratch;
        scratch.fit(length, head_size);
        engine::attend(kernels, heads.head(1), scratch);
        const size_t step = std::max<size_t>(1, length / 9);
        for (size_t row = 0; row < length; row += step) {
          const auto want = exact_context(heads.head(1), row);
          for (size_t k = 0; k < head_size; ++k) {
            const double error = std::abs(static_cast<double>(heads.head(1).context(row, k)) - want[k]);
            if (!(error <= kAttentionTolerance)) FAIL("row ", row, ", column ", k, ": error ", error);
          }
          for (size_t k = 0; k < head_size; ++k) {
            if (heads.head(0).context(row, k) != -7.0F) FAIL("the other head was written to, row ", row);
          }
        }
      }
    }
  });
}

TEST_CASE("attention has the same bits whatever the scratch held before and however large it is") {
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    engine::AttentionScratch used;
    used.fit(600, 9);
    Heads before(600, 9, 3);
    engine::attend(kernels, before.head(0), used);
    for (const size_t length : {1, 15, 16, 17, 100, 513}) {
      Heads heads(length, 7, 4);
      Heads again = heads;
      engine::AttentionScratch fresh;
      fresh.fit(length, 7);
      engine::attend(kernels, heads.head(1), fresh);
      engine::attend(kernels, again.head(1), used);
      INFO("length ", length);
      CHECK(std::memcmp(heads.context.data(), again.context.data(), heads.context.size() * sizeof(float)) == 0);
    }
  });
}

}  // namespace summand
