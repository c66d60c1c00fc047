#include "engine/layers/sentence_dense.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "every_kernel_set.hpp"

namespace summand {

namespace {

/// A sum of up to 1,000 products, none beyond 5 on its way, is rounded a thousand times: 5 · 2⁻²⁴ · √1000.
constexpr double kTolerance = 1e-5;

/// Source: torch.nn, the modules of the same names.
double activated(model::DenseActivation activation, double x) {
  switch (activation) {
    case model::DenseActivation::identity:
      return x;
    case model::DenseActivation::tanh:
      return std::tanh(x);
    case model::DenseActivation::relu:
      return std::max(x, 0.0);
    case model::DenseActivation::gelu:
      return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
    case model::DenseActivation::sigmoid:
      return 1.0 / (1.0 + std::exp(-x));
  }
  __builtin_unreachable();
}

struct Module {
  std::vector<float> weight;
  std::vector<float> bias;  ///< empty for none
  model::Dense dense;

  Module(size_t out, size_t in, bool has_bias, model::DenseActivation activation)
      : weight(test::random_floats(out * in, 1, 1.0F / std::sqrt(static_cast<float>(in)))) {
    dense.weight = model::make_tensor({out, in}, weight);
    if (has_bias) {
      bias = test::random_floats(out, 2);
      dense.bias = model::make_tensor({out}, bias);
    }
    dense.activation = activation;
  }
  [[nodiscard]] double exact(size_t row, const std::vector<float>& vector) const {
    double total = bias.empty() ? 0 : bias[row];
    for (size_t i = 0; i < vector.size(); ++i) {
      total += static_cast<double>(weight[row * vector.size() + i]) * vector[i];
    }
    return activated(dense.activation, total);
  }
};

}  // namespace

TEST_CASE("a dense module of a sentence model agrees with double precision, of every shape, activation and bias") {
  for (const auto& [out, in] : {std::pair<size_t, size_t>{1, 1}, {3, 5}, {16, 16}, {17, 1000}, {512, 384}, {100, 33}}) {
    for (const auto& activation : model::enum_names(model::DenseActivation{})) {
      for (const bool has_bias : {false, true}) {
        INFO("[", out, ", ", in, "], ", std::string(activation.name), ", bias ", has_bias);
        const Module module(out, in, has_bias, activation.value);
        const engine::SentenceDense dense(module.dense);
        REQUIRE(dense.in() == in);
        REQUIRE(dense.out() == out);
        const auto vector = test::random_floats(in, 3);
        // Nothing beyond the result is written.
        std::vector<float> result(out + 1, 7.0F);
        dense.apply(vector, std::span(result).first(out));
        CHECK(result.back() == 7.0F);
        double worst = 0;
        for (size_t row = 0; row < out; ++row) {
          const double difference = std::abs(static_cast<double>(result[row]) - module.exact(row, vector));
          worst = difference <= worst ? worst : difference;  // NaN becomes the worst
        }
        CHECK(worst <= kTolerance);
      }
    }
  }
}

TEST_CASE("a dense module gives a vector the same bits wherever it lies in memory") {
  const Module module(70, 77, true, model::DenseActivation::gelu);
  const engine::SentenceDense dense(module.dense);
  const auto vector = test::random_floats(77, 4);
  std::vector<float> first(70);
  dense.apply(vector, first);
  for (size_t shift = 0; shift < 16; ++shift) {
    std::vector<float> moved(vector.size() + shift);
    std::ranges::copy(vector, moved.begin() + static_cast<std::ptrdiff_t>(shift));
    std::vector<float> again(first.size() + shift);
    const auto result = std::span(again).subspan(shift);
    dense.apply(std::span(moved).subspan(shift), result);
    CHECK(std::memcmp(first.data(), result.data(), result.size_bytes()) == 0);
  }
}

}  // namespace summand
