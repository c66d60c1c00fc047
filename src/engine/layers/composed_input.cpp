#include "engine/layers/composed_input.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/matrix_copy.hpp"
#include "model/matrix_ops.hpp"
#include "model/shape_ops.hpp"
#include "model/tensor.hpp"

namespace summand::engine {

/// CompositionOps on the rows of many tokens.
class TokenOps : public model::MatrixOps<float> {
 public:
  TokenOps(const ComposedInput& input, const SinglePrecisionKernels& kernels) : input_(input), kernels_(kernels) {}

  [[nodiscard]] Value minus(Value left, const Value& right) const { return plus(std::move(left), scaled(right, -1)); }
  [[nodiscard]] Value linear(const Value& value, std::string_view name) const {
    return packed_product(input_.products_.at(std::string(name)), value);
  }
  [[nodiscard]] Value transposed(const Value& value, std::string_view name) const {
    return packed_product(input_.transposed_.at(std::string(name)), value);
  }
  [[nodiscard]] Value scale(Value value, std::string_view name) const {
    const auto& factors = input_.scales_.at(std::string(name));
    for (size_t row = 0; row < value.rows(); ++row) {
      const auto values = value.row(row);
      for (size_t i = 0; i < values.size(); ++i) values[i] *= factors[factors.size() == 1 ? 0 : i];
    }
    return value;
  }
  [[nodiscard]] Value logistic(Value value) const {
    for (float& x : value.elements()) x = 1.0F / (1.0F + std::exp(-x));
    return value;
  }

 private:
  [[nodiscard]] Value packed_product(const PackedLinear& linear, const Value& value) const {
    Value result(value.rows(), linear.out());
    linear.multiply(kernels_, value.view(), result.view());
    return result;
  }

  const ComposedInput& input_;
  const SinglePrecisionKernels& kernels_;
};

namespace {

model::Tensor zeros(size_t count) {
  return model::tensor_of(model::DType::f32, {count}, std::vector<float>(count));
}

model::Tensor transpose_of(const model::Tensor& matrix) {
  const auto values = model::to_matrix<float>(matrix);
  std::vector<float> turned;
  for (size_t column = 0; column < values.columns(); ++column) {
    for (size_t row = 0; row < values.rows(); ++row) turned.push_back(values(row, column));
  }
  return model::tensor_of(model::DType::f32, {values.columns(), values.rows()}, std::move(turned));
}

}  // namespace

ComposedInput::ComposedInput(const model::Composition& composition, size_t hidden, const model::Weights& weights)
    : composition_(composition) {
  const auto parameters = model::own_parameters(composition, hidden);
  const auto shape = model::shape_of(composition, parameters, hidden);
  const auto tensor = [&](const std::string& name) -> const model::Tensor* {
    return weights.find(std::string(model::kCompositionPrefix) + name);
  };
  const auto weight = [&](const std::string& name) -> const model::Tensor& {
    return weights.at(std::string(model::kCompositionPrefix) + name + ".weight");
  };
  for (const auto& name : shape.products()) {
    const model::Tensor* bias = tensor(name + ".bias");
    const model::Tensor& factors = weight(name);
    products_.try_emplace(name, factors, bias != nullptr ? *bias : zeros(factors.shape.at(0)));
  }
  for (const auto& name : shape.transposed_products()) {
    const model::Tensor factors = transpose_of(weight(name));
    transposed_.try_emplace(name, factors, zeros(factors.shape.at(0)));
  }
  for (const auto& parameter : parameters) {
    if (!parameter.name.ends_with("_scale")) continue;
    scales_.emplace(parameter.name,
                    model::to_floats(weights.at(std::string(model::kCompositionPrefix) + parameter.name)));
  }
}

void ComposedInput::compose(const SinglePrecisionKernels& kernels,
                            const model::InputParts<MatrixView<const float>>& parts, MatrixView<float> out) const {
  TokenOps ops(*this, kernels);
  const Matrix<float> composed = model::compose(
      composition_, ops,
      model::InputParts<Matrix<float>>{copy_of(parts.token), copy_of(parts.position), copy_of(parts.segment)});
  SUMMAND_ASSERT(composed.columns() == out.columns());
  for (size_t row = 0; row < out.rows(); ++row) std::ranges::copy(composed.row(row), out.row(row).begin());
}

}  // namespace summand::engine
