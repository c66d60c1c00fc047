#include "engine/layers/sentence_dense.hpp"

#include <cmath>
#include <vector>

#include "base/assert.hpp"
#include "engine/kernels/kernel_set.hpp"

namespace summand::engine {

namespace {

model::Tensor bias_of(const model::Dense& dense) {
  if (dense.bias) return *dense.bias;
  const size_t out = dense.weight.shape.at(0);
  return model::make_tensor({out}, std::vector<float>(out));
}

void activate(const KernelTable& kernels, model::Activation activation, std::span<float> values) {
  kernels.activate(activation,
                   {.values = values.data(), .stride = values.size(), .row_count = 1, .columns = values.size()});
}

}  // namespace

SentenceDense::SentenceDense(const model::Dense& dense)
    : kernels_(chosen_kernel_set().single_precision),
      linear_(dense.weight, bias_of(dense)),
      activation_(dense.activation) {}

void SentenceDense::apply(std::span<const float> vector, std::span<float> result) const {
  SUMMAND_ASSERT(vector.size() == in() && result.size() == out());
  linear_.multiply(*kernels_, MatrixView<const float>(vector.data(), 1, vector.size()),
                   MatrixView<float>(result.data(), 1, result.size()));
  switch (activation_) {
    case model::DenseActivation::identity:
      return;
    case model::DenseActivation::tanh:
      return activate(*kernels_, model::Activation::tanh, result);
    case model::DenseActivation::relu:
      return activate(*kernels_, model::Activation::relu, result);
    case model::DenseActivation::gelu:
      return activate(*kernels_, model::Activation::gelu, result);
    case model::DenseActivation::sigmoid:
      for (float& x : result) x = 1.0F / (1.0F + std::exp(-x));
      return;
  }
}

}  // namespace summand::engine
