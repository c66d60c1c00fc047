#include "reference/dual_vector.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "lab/probing/watch.hpp"
#include "model/activation.hpp"
#include "reference/bert.hpp"
#include "reference/functions.hpp"
#include "reference/heads.hpp"
#include "support/random_model.hpp"

using namespace summand;
using reference::Dual;
using reference::kMixedDirections;
using reference::MixedDual;
using Second = Dual<Dual<double>>;

namespace {

constexpr double kRounding = 1e-12;  // relative to values of about 1, through two layers

/// What direction k of the first order, or l of the second, adds to a coordinate.
double step(size_t direction, size_t coordinate) {
  return std::sin(static_cast<double>(1 + 7 * direction + 3 * coordinate));
}

template <class T>
T plus_activation(model::Activation activation, const T& x) {
  return reference::activate(activation, x) + T(1) / (T(2) + x * x);
}

/// Adds both orders' directions to the sums of tokens 1 and 2.
struct Seed {
  size_t first;
  size_t second;
};

Second seeded(double value, size_t token, size_t coordinate, const Seed& seed) {
  Second x{Dual<double>(value, 0), Dual<double>(0, 0)};
  if (token == 1) x.derivative.value = step(seed.first, coordinate);
  if (token == 2) x.value.derivative = step(seed.second + 20, coordinate);
  return x;
}

}  // namespace

TEST_CASE("every function carries the derivatives along each direction that a nested dual number carries along one") {
  for (const auto activation : {model::Activation::gelu, model::Activation::gelu_tanh, model::Activation::relu,
                                model::Activation::silu, model::Activation::tanh}) {
    MixedDual x(0.4);
    for (size_t k = 0; k < kMixedDirections; ++k) {
      x.derivatives[k].value = step(k, 0);
      x.value.derivatives[k] = step(k, 1);
      for (size_t l = 0; l < kMixedDirections; ++l) x.derivatives[k].derivatives[l] = step(k, l + 2);
    }
    const auto all = plus_activation(activation, sqrt(x * x + MixedDual(1)) - x * 0.5);
    for (size_t k = 0; k < kMixedDirections; ++k) {
      for (size_t l = 0; l < kMixedDirections; ++l) {
        const Second one{Dual<double>(0.4, step(l, 1)), Dual<double>(step(k, 0), step(k, l + 2))};
        const auto expected = plus_activation(activation, sqrt(one * one + Second(1)) - one * 0.5);
        CHECK(std::abs(all.value.value - expected.value.value) < kRounding);
        CHECK(std::abs(all.derivatives[k].value - expected.derivative.value) < kRounding);
        CHECK(std::abs(all.value.derivatives[l] - expected.value.derivative) < kRounding);
        CHECK(std::abs(all.derivatives[k].derivatives[l] - expected.derivative.derivative) < kRounding);
      }
    }
  }
}

TEST_CASE("a logarithm's derivatives are its closed form") {
  using Pair = reference::DualVector<double, 2>;
  Pair x(3);
  x.derivatives = {1, -2};
  const auto result = log(x);
  CHECK(std::abs(result.value - std::log(3.0)) < kRounding);
  CHECK(std::abs(result.derivatives[0] - 1 / 3.0) < kRounding);
  CHECK(std::abs(result.derivatives[1] + 2 / 3.0) < kRounding);
}

TEST_CASE("one pass of a model gives the mixed derivatives that 64 passes with nested dual numbers give") {
  const auto config = test::config_of({.hidden = 12, .heads = 3, .intermediate = 20, .layers = 2, .positions = 16});
  const auto weights =
      test::random_weights(config, {.pooler = model::Pooler::absent, .heads = {model::Head::masked_language}}, 4);
  const auto batch = test::random_batch(config, {5}, 9);
  const size_t asked[]{1};
  lab::Watch<MixedDual> seed_all({model::TapPoint::sum}, [](const model::TapSite&, MatrixView<MixedDual> sum) {
    for (size_t j = 0; j < sum.columns(); ++j) {
      for (size_t k = 0; k < kMixedDirections; ++k) {
        sum(1, j).derivatives[k].value = step(k, j);
        sum(2, j).value.derivatives[k] = step(k + 20, j);
      }
    }
  });
  const auto output = reference::Bert<MixedDual>(config, weights).run(batch, 0, &seed_all);
  const auto logits = reference::Heads<MixedDual>(config, weights).logits(model::Head::masked_language, output, asked);
  const reference::Bert<Second> plain(config, weights);
  const reference::Heads<Second> plain_heads(config, weights);
  for (const Seed seed : {Seed{0, 0}, Seed{3, 5}, Seed{7, 7}}) {
    lab::Watch<Second> seed_one({model::TapPoint::sum}, [&](const model::TapSite&, MatrixView<Second> sum) {
      for (size_t row = 0; row < sum.rows(); ++row) {
        for (size_t j = 0; j < sum.columns(); ++j) sum(row, j) = seeded(sum(row, j).value.value, row, j, seed);
      }
    });
    const auto expected = plain.run(batch, 0, &seed_one);
    const auto check = [&](const MixedDual& all, const Second& one) {
      CHECK(std::abs(all.value.value - one.value.value) < kRounding);
      CHECK(std::abs(all.derivatives[seed.first].derivatives[seed.second] - one.derivative.derivative) <
            kRounding * std::max(1.0, std::abs(one.derivative.derivative)));
    };
    for (size_t i = 0; i < expected.hidden_states.back().elements().size(); ++i) {
      check(output.hidden_states.back().elements()[i], expected.hidden_states.back().elements()[i]);
    }
    const auto expected_logits = plain_heads.logits(model::Head::masked_language, expected, asked);
    for (size_t i = 0; i < logits.columns(); ++i) check(logits(0, i), expected_logits(0, i));
  }
}
