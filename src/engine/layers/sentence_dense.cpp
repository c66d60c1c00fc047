#include "engine/layers/sentence_dense.hpp"

#include <optional>
#include <vector>

#include "base/assert.hpp"
#include "engine/kernels/kernel_set.hpp"

namespace summand::engine {

namespace {

model::Tensor zeros_for(const model::Tensor& weight) {
  const size_t out = weight.shape.at(0);
  return model::make_tensor({out}, std::vector<float>(out));
}

std::optional<PackedLinear> projection_of(const model::Dense& dense) {
  if (!dense.projection) return std::nullopt;
  return std::make_optional<PackedLinear>(*dense.projection, zeros_for(*dense.projection));
}

MatrixView<const float> as_row(std::span<const float> vector) {
  return {vector.data(), 1, vector.size()};
}

void add_to(std::span<float> sum, std::span<const float> other) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
}

void activate(const SinglePrecisionKernels& kernels, model::Activation activation, std::span<float> values) {
  kernels.activate(activation,
                   {.values = values.data(), .stride = values.size(), .row_count = 1, .columns = values.size()});
}

}  // namespace

SentenceDense::SentenceDense(const model::Dense& dense)
    : kernels_(chosen_kernel_set().single_precision),
      linear_(dense.weight, dense.bias ? *dense.bias : zeros_for(dense.weight)),
      activation_(dense.activation),
      residual_(dense.residual),
      projection_(projection_of(dense)) {}

void SentenceDense::apply(std::span<const float> vector, std::span<float> result) const {
  SUMMAND_ASSERT(vector.size() == in() && result.size() == out());
  linear_.multiply(*kernels_, as_row(vector), MatrixView<float>(result.data(), 1, result.size()));
  activate_all(result);
  switch (residual_) {
    case model::Residual::none:
      return;
    case model::Residual::input:
      return add_to(result, vector);
    case model::Residual::projected: {
      std::vector<float> projected(result.size());
      projection_->multiply(*kernels_, as_row(vector), MatrixView<float>(projected.data(), 1, projected.size()));
      return add_to(result, projected);
    }
  }
}

/// By kernels where there are any, as in the encoder.
void SentenceDense::activate_all(std::span<float> values) const {
  switch (activation_) {
    case model::TorchActivation::tanh:
      return activate(*kernels_, model::Activation::tanh, values);
    case model::TorchActivation::relu:
      return activate(*kernels_, model::Activation::relu, values);
    case model::TorchActivation::gelu:
      return activate(*kernels_, model::Activation::gelu, values);
    default:
      return model::activate(activation_, values);
  }
}

}  // namespace summand::engine
