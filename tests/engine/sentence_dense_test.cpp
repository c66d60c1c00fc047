#include "engine/layers/sentence_dense.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "engine/layers/sentence_steps.hpp"
#include "every_kernel_set.hpp"

namespace summand {

namespace {

/// A sum of up to 1,000 products, none beyond 5 on its way, is rounded a thousand times: 5 · 2⁻²⁴ · √1000.
constexpr double kTolerance = 1e-5;

struct Module {
  std::vector<float> weight;
  std::vector<float> bias;  ///< empty for none
  model::Dense dense;

  Module(size_t out, size_t in, bool has_bias, model::TorchActivation activation)
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
    return model::activated(dense.activation, total);
  }
};

}  // namespace

TEST_CASE("a dense module of a sentence model agrees with double precision, of every shape, activation and bias") {
  for (const auto& [out, in] : {std::pair<size_t, size_t>{1, 1}, {3, 5}, {16, 16}, {17, 1000}, {512, 384}, {100, 33}}) {
    for (const auto& activation : model::enum_names(model::TorchActivation{})) {
      if (!model::is_elementwise(activation.value)) continue;
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
  const Module module(70, 77, true, model::TorchActivation::gelu);
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

TEST_CASE("activations of torch that are not a kernel's have their formulas' values") {
  using model::TorchActivation;
  // Source: torch 2.13, torch.nn.NAME()(torch.tensor([x], dtype=torch.float64)).
  const std::vector<std::tuple<TorchActivation, double, double>> values{
      {TorchActivation::celu, -2, -0.8646647167633873},
      {TorchActivation::elu, -2, -0.8646647167633873},
      {TorchActivation::hardshrink, 0.5, 0},
      {TorchActivation::hardshrink, 0.75, 0.75},
      {TorchActivation::hardsigmoid, 1.5, 0.75},
      {TorchActivation::hardswish, 1.5, 1.125},
      {TorchActivation::hardtanh, -3, -1},
      {TorchActivation::leaky_relu, -2, -0.02},
      {TorchActivation::log_sigmoid, -800, -800},
      {TorchActivation::log_sigmoid, 0, -0.6931471805599453},
      {TorchActivation::mish, -1, -0.30340146137410895},
      {TorchActivation::relu6, 7, 6},
      {TorchActivation::rrelu, -1, -0.22916666666666666},
      {TorchActivation::selu, -1, -1.1113307378125625},
      {TorchActivation::selu, 2, 2.10140197471096},
      {TorchActivation::silu, -1, -0.2689414213699951},
      {TorchActivation::softplus, 21, 21},
      {TorchActivation::softplus, 1, 1.3132616875182228},
      {TorchActivation::softshrink, -2, -1.5},
      {TorchActivation::softshrink, 0.25, 0},
      {TorchActivation::softsign, -3, -0.75},
      {TorchActivation::tanhshrink, 1, 0.2384058440442351},
      {TorchActivation::sigmoid, -1000, 0},
      {TorchActivation::identity, 3, 3},
  };
  for (const auto& [activation, x, want] : values) {
    INFO(std::string(model::name_of(activation)), " of ", x);
    CHECK(model::activated(activation, x) == doctest::Approx(want).epsilon(1e-14));
  }
  std::vector<float> vector{1, 2, 3};
  model::activate(TorchActivation::softmax, vector);
  CHECK(vector[0] == doctest::Approx(0.09003057317038046));
  vector = {1000, 0, 1000};
  model::activate(TorchActivation::log_softmax, vector);
  CHECK(vector[1] == doctest::Approx(-1000.6931471805599));
  vector = {1, 2, 3};
  model::activate(TorchActivation::softmin, vector);
  CHECK(vector[0] == doctest::Approx(0.6652409557748219));
}

TEST_CASE("steps behind the pooling follow one another: residual, layer norm, division by the length") {
  Module first(4, 4, true, model::TorchActivation::silu);
  first.dense.residual = model::Residual::input;
  const auto projection = test::random_floats(3 * 4, 8);
  Module second(3, 4, false, model::TorchActivation::identity);
  second.dense.residual = model::Residual::projected;
  second.dense.projection = model::make_tensor({3, 4}, projection);
  const std::vector<float> weight{1.5F, -2, 0.5F};
  const std::vector<float> bias{0.25F, 1, -1};
  const model::VectorNorm norm{.weight = model::make_tensor({3}, weight), .bias = model::make_tensor({3}, bias)};
  const std::vector<model::SentenceStep> list{first.dense, second.dense, norm, model::Normalize(), model::Normalize()};
  const engine::SentenceSteps steps(list);
  REQUIRE(steps.size() == 5);
  CHECK(steps.width_after(0, 4) == 4);
  CHECK(steps.width_after(1, 4) == 3);
  CHECK_FALSE(steps.width_after(2, 4).has_value());
  CHECK(steps.width_after(3, 9) == 9);

  const auto vector = test::random_floats(4, 9);
  std::vector<float> after_first;
  for (size_t i = 0; i < 4; ++i) after_first.push_back(static_cast<float>(first.exact(i, vector) + vector[i]));
  std::vector<double> exact;
  for (size_t row = 0; row < 3; ++row) {
    double sum = second.exact(row, after_first);
    for (size_t i = 0; i < 4; ++i) sum += static_cast<double>(projection[row * 4 + i]) * after_first[i];
    exact.push_back(sum);
  }
  const double mean = (exact[0] + exact[1] + exact[2]) / 3;
  double variance = 0;
  for (const double x : exact) variance += (x - mean) * (x - mean) / 3;
  double length = 0;
  for (size_t i = 0; i < 3; ++i) {
    exact[i] = (exact[i] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(weight[i]) + bias[i];
    length += exact[i] * exact[i];
  }
  const auto whole = steps.apply({0, 3}, vector);
  const auto unit = steps.apply({0, 5}, vector);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(std::abs(whole[i] - exact[i]) <= kTolerance);
    CHECK(std::abs(unit[i] - exact[i] / std::sqrt(length)) <= kTolerance);
  }
  CHECK(steps.apply({3, 5}, {0, 0}) == std::vector<float>{0, 0});
}

}  // namespace summand
