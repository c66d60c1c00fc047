#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "model/composition.hpp"

namespace summand::model {

/// Composes widths instead of rows: checks a formula against its parameters and counts operations.
class ShapeOps {
 public:
  using Value = size_t;

  /// @param parameters  of the composition, names without the prefix
  explicit ShapeOps(const std::vector<Parameter>& parameters) : parameters_(&parameters) {}

  Value plus(Value left, Value right) { return elementwise(left, right); }
  Value minus(Value left, Value right) { return elementwise(left, right); }
  Value times(Value left, Value right) { return elementwise(left, right); }
  Value side_by_side(Value left, Value right) { return left + right; }
  Value linear(Value value, std::string_view name) {
    const Parameter& weight = parameter(std::string(name) + ".weight");
    SUMMAND_ASSERT(weight.shape.at(1) == value);
    products_.emplace_back(name);
    return product(weight, weight.shape.at(0));
  }
  Value transposed(Value value, std::string_view name) {
    const Parameter& weight = parameter(std::string(name) + ".weight");
    SUMMAND_ASSERT(weight.shape.at(0) == value);
    transposed_.emplace_back(name);
    return product(weight, weight.shape.at(1));
  }
  Value scale(Value value, std::string_view name) { return elementwise(value, parameter(name).shape.at(0)); }
  /// Not counted: it costs what an instruction set makes of it.
  Value logistic(Value value) { return value; }

  /// Additions and multiplications per token, without optimisations.
  [[nodiscard]] double operations() const { return operations_; }
  /// The parameters used by linear() and transposed().
  [[nodiscard]] const std::vector<std::string>& products() const { return products_; }
  [[nodiscard]] const std::vector<std::string>& transposed_products() const { return transposed_; }

 private:
  const Parameter& parameter(std::string_view name) const {
    for (const auto& one : *parameters_) {
      if (one.name == name) return one;
    }
    throw std::out_of_range(fmt::format("composition: no parameter {}", name));
  }
  Value elementwise(Value left, Value right) {
    SUMMAND_ASSERT(left == right || right == 1);
    operations_ += static_cast<double>(left);
    return left;
  }
  Value product(const Parameter& weight, Value out) {
    operations_ += 2 * static_cast<double>(elements(weight));
    return out;
  }

  const std::vector<Parameter>* parameters_;
  double operations_ = 0;
  std::vector<std::string> products_, transposed_;
};

/// Cost of composing, from the formula and the contract. @param hidden  hidden_size
[[nodiscard]] inline ShapeOps shape_of(const Composition& composition, const std::vector<Parameter>& parameters,
                                       size_t hidden) {
  ShapeOps ops(parameters);
  const size_t width = compose(composition, ops, widths_of(composition, hidden));
  SUMMAND_ASSERT(width == hidden);
  return ops;
}

/// The contract of a composition alone, names without the prefix.
[[nodiscard]] inline std::vector<Parameter> own_parameters(const Composition& composition, size_t hidden) {
  Contract contract;
  add_parameters(composition, hidden, contract);
  auto list = contract.take();
  for (auto& one : list) one.name.erase(0, kCompositionPrefix.size());
  return list;
}

}  // namespace summand::model
