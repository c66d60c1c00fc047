#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "every_kernel_set.hpp"

namespace summand {

namespace {

using model::Activation;

long double exact(Activation activation, long double x) {
  switch (activation) {
    case Activation::gelu:
      return 0.5L * x * std::erfc(-x * std::sqrt(0.5L));
    case Activation::gelu_tanh: {
      const long double y = std::sqrt(2 / std::acos(-1.0L)) * (x + 0.044715L * x * x * x);
      return x / (1 + std::exp(-2 * y));
    }
    case Activation::relu:
      return x > 0 ? x : 0;
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
    case Activation::linear:
      return x;
    case Activation::half:
      return x / 2;
  }
  __builtin_unreachable();
}

/// How far from the exact value: so much, or so many units in the last place, whichever is more.
struct Tolerance {
  double absolute;
  double units;
};

/// gelu's left side is cut where it no longer matters; gelu_tanh loses what 1 + tanh loses in plain C++; silu is zero
/// where e^-x is infinite; otherwise a few roundings of a function whose parts are good to two units.
Tolerance tolerance(Activation activation) {
  switch (activation) {
    case Activation::gelu:
      return {8e-8, 3};
    case Activation::gelu_tanh:
      return {4e-7, 4};
    case Activation::relu:
      return {0, 0};
    case Activation::silu:
      return {3e-37, 5};
    case Activation::tanh:
      return {1e-44, 4};
    case Activation::linear:
      return {0, 0};
    case Activation::half:
      return {1e-45, 1};
  }
  __builtin_unreachable();
}

/// Dense around zero and over everything that can matter, with the ends of the number line.
std::vector<float> sweep() {
  std::vector<float> values{0.0F, -0.0F, 1e30F, -1e30F, 3e38F, -3e38F, 8.0F, -8.0F, 0.625F, -0.625F};
  for (float x = 1e-45F; x < 50.0F; x *= 1.013F) {
    values.push_back(x);
    values.push_back(-x);
    if (x < 1e-43F) x += 1e-44F;
  }
  for (int i = -150000; i <= 150000; ++i) values.push_back(static_cast<float>(i) * 1e-4F);
  for (float x = 80.0F; x < 110.0F; x += 0.01F) values.push_back(-x);
  return values;
}

}  // namespace

TEST_CASE("every activation agrees with its formula in long double") {
  const std::vector<float> inputs = sweep();
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    for (const auto& name : model::enum_names(Activation{})) {
      const Activation activation = name.value;
      if (model::name_of(activation) != name.name) continue;  // another spelling
      std::vector<float> outputs = inputs;
      kernels.activate(activation, {.values = outputs.data(), .row_count = 1, .columns = outputs.size()});
      double worst_absolute = 0;
      double worst_excess = 0;
      float worst_input = 0;
      for (size_t i = 0; i < inputs.size(); ++i) {
        const auto want = static_cast<double>(exact(activation, static_cast<long double>(inputs[i])));
        const double error = std::abs(static_cast<double>(outputs[i]) - want);
        const Tolerance allowed = tolerance(activation);
        const double limit = std::max(allowed.absolute, allowed.units * std::abs(want) * 0x1p-23);
        if (std::abs(want) < 1) worst_absolute = std::max(worst_absolute, error);
        if (!(error <= limit) && !(error - limit <= worst_excess)) {
          worst_excess = error - limit;
          worst_input = inputs[i];
        }
      }
      INFO(std::string(name.name), ": worst at ", worst_input, "; worst below 1: ", worst_absolute);
      CHECK(worst_excess == 0);
    }
  });
}

TEST_CASE("an activation passes NaN on") {
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    for (const auto& name : model::enum_names(Activation{})) {
      std::vector<float> values(21, std::numeric_limits<float>::quiet_NaN());
      kernels.activate(name.value, {.values = values.data(), .row_count = 1, .columns = values.size()});
      INFO(std::string(name.name));
      for (const float value : values) CHECK(std::isnan(value));
    }
  });
}

TEST_CASE("an activation treats an element alike in every lane and touches nothing beyond the columns") {
  constexpr size_t kStride = 50;
  const std::vector<float> inputs = test::random_floats(3 * kStride, 1, 2.0F);
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    for (const auto& name : model::enum_names(Activation{})) {
      std::vector<float> one_by_one = inputs;
      for (float& value : one_by_one) kernels.activate(name.value, {.values = &value, .row_count = 1, .columns = 1});
      for (size_t columns = 1; columns <= kStride; ++columns) {
        std::vector<float> together = inputs;
        kernels.activate(name.value,
                         {.values = together.data(), .stride = kStride, .row_count = 3, .columns = columns});
        for (size_t i = 0; i < together.size(); ++i) {
          if (together[i] != (i % kStride < columns ? one_by_one[i] : inputs[i])) {
            FAIL("columns ", columns, ", element ", i);
          }
        }
      }
    }
  });
}

}  // namespace summand
