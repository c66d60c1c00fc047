#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/matrix.hpp"
#include "model/composition.hpp"
#include "model/weights.hpp"

namespace summand::model {

/// CompositionOps on one row held in a vector: written to be read, used wherever no fused kernel exists.
/// Parameters are [rows, columns]; one that is a vector is a matrix of one row.
template <class Scalar>
class RowOps {
 public:
  using Value = std::vector<Scalar>;
  using Parameters = std::unordered_map<std::string, Matrix<Scalar>>;

  /// @param parameters  must outlive this object; names as in "token_gate.weight"
  explicit RowOps(const Parameters& parameters) : parameters_(&parameters) {}

  [[nodiscard]] Value plus(Value left, const Value& right) const {
    for (size_t i = 0; i < left.size(); ++i) left[i] = left[i] + right[i];
    return left;
  }
  [[nodiscard]] Value minus(Value left, const Value& right) const {
    for (size_t i = 0; i < left.size(); ++i) left[i] = left[i] - right[i];
    return left;
  }
  [[nodiscard]] Value times(Value left, const Value& right) const {
    for (size_t i = 0; i < left.size(); ++i) left[i] = left[i] * right[right.size() == 1 ? 0 : i];
    return left;
  }
  [[nodiscard]] Value side_by_side(Value left, const Value& right) const {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }
  [[nodiscard]] Value scale(Value value, std::string_view name) const {
    const auto factor = parameter(name).row(0);
    return times(std::move(value), Value(factor.begin(), factor.end()));
  }
  [[nodiscard]] Value linear(const Value& value, std::string_view name) const {
    const Matrix<Scalar>& weight = parameter(std::string(name) + ".weight");
    const auto bias = parameters_->find(std::string(name) + ".bias");
    Value result(weight.rows());
    for (size_t out = 0; out < weight.rows(); ++out) {
      Scalar total = bias == parameters_->end() ? Scalar(0) : bias->second(0, out);
      for (size_t in = 0; in < value.size(); ++in) total = total + weight(out, in) * value[in];
      result[out] = total;
    }
    return result;
  }
  [[nodiscard]] Value transposed(const Value& value, std::string_view name) const {
    const Matrix<Scalar>& weight = parameter(std::string(name) + ".weight");
    Value result(weight.columns(), Scalar(0));
    for (size_t out = 0; out < weight.rows(); ++out) {
      for (size_t in = 0; in < result.size(); ++in) result[in] = result[in] + weight(out, in) * value[out];
    }
    return result;
  }
  [[nodiscard]] Value logistic(Value value) const {
    using std::exp;
    for (Scalar& x : value) x = Scalar(1) / (Scalar(1) + exp(-x));
    return value;
  }

 private:
  [[nodiscard]] const Matrix<Scalar>& parameter(std::string_view name) const {
    return parameters_->at(std::string(name));
  }

  const Parameters* parameters_;
};

/// The parameters of a model's composition as RowOps takes them; none for the plain sum.
template <class Scalar>
[[nodiscard]] typename RowOps<Scalar>::Parameters composition_parameters(const Weights& weights) {
  typename RowOps<Scalar>::Parameters parameters;
  for (const auto& [name, tensor] : weights) {
    if (name.starts_with(kCompositionPrefix))
      parameters.emplace(name.substr(kCompositionPrefix.size()), to_matrix<Scalar>(tensor));
  }
  return parameters;
}

}  // namespace summand::model
