#include "model/position.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.hpp"
#include "model/tensor.hpp"
#include "summand/error.hpp"

namespace summand::model {

namespace {

constexpr std::string_view kPrefix = "embeddings.";

/// TableOps in double precision.
class MatrixOps {
 public:
  using Value = Matrix<double>;

  explicit MatrixOps(const Weights& weights) : weights_(weights) {}

  [[nodiscard]] Value parameter(std::string_view name) const {
    const Tensor& tensor = weights_.at(std::string(kPrefix) + std::string(name));
    if (tensor.shape.size() == 2) return to_matrix<double>(tensor);
    const auto values = to_doubles(tensor);
    Value row(1, values.size());
    std::ranges::copy(values, row.row(0).begin());
    return row;
  }
  [[nodiscard]] Value constant(Matrix<double> numbers) const { return numbers; }
  [[nodiscard]] Value product(const Value& left, const Value& right) const {
    SUMMAND_ASSERT(left.columns() == right.rows());
    Value result(left.rows(), right.columns());
    for (size_t row = 0; row < left.rows(); ++row) {
      const auto to = result.row(row);
      for (size_t k = 0; k < left.columns(); ++k) {
        const double factor = left(row, k);
        if (factor == 0) continue;
        const auto from = right.row(k);
        for (size_t column = 0; column < to.size(); ++column) to[column] += factor * from[column];
      }
    }
    return result;
  }
  [[nodiscard]] Value sine(Value value) const {
    for (double& x : value.elements()) x = std::sin(x);
    return value;
  }
  [[nodiscard]] Value cosine(Value value) const {
    for (double& x : value.elements()) x = std::cos(x);
    return value;
  }
  [[nodiscard]] Value scaled(Value value, double factor) const {
    for (double& x : value.elements()) x *= factor;
    return value;
  }
  [[nodiscard]] Value columns(const Value& value, const std::vector<size_t>& order) const {
    Value picked(value.rows(), order.size());
    for (size_t row = 0; row < picked.rows(); ++row) {
      for (size_t column = 0; column < order.size(); ++column) picked(row, column) = value(row, order[column]);
    }
    return picked;
  }
  [[nodiscard]] Value side_by_side(const Value& left, const Value& right) const {
    Value both(left.rows(), left.columns() + right.columns());
    for (size_t row = 0; row < both.rows(); ++row) {
      const auto end = std::ranges::copy(left.row(row), both.row(row).begin()).out;
      std::ranges::copy(right.row(row), end);
    }
    return both;
  }

 private:
  const Weights& weights_;
};

}  // namespace

std::span<const EnumName<SinusoidLayout>> enum_names(SinusoidLayout) {
  static constexpr std::array names{
      EnumName{SinusoidLayout::interleaved, "interleaved"},
      EnumName{SinusoidLayout::halves, "halves"},
  };
  return names;
}

std::string fault_of(const Position& position, TableSize size) {
  return std::visit(
      [&](const auto& one) -> std::string {
        if constexpr (requires { one.fault(size); }) return one.fault(size);
        return "";
      },
      position);
}

void add_parameters(const Position& position, TableSize size, Contract& contract) {
  contract.part(Part::position_table, std::string(kPrefix));
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.add_parameters(contract, size); }) one.add_parameters(contract, size);
      },
      position);
}

std::vector<Position> typical_positions(TableSize size) {
  std::vector<Position> all;
  for_each_kind<Position>([&](const Position& kind) {
    all.push_back(std::visit(
        [&](const auto& one) -> Position {
          if constexpr (requires { one.typical(size); }) return one.typical(size);
          return one;
        },
        kind));
  });
  return all;
}

const Tensor* position_rows(const Position& position, const Weights& weights) {
  if (!std::holds_alternative<LearnedPositions>(position) && !std::holds_alternative<FixedPositions>(position)) {
    return nullptr;
  }
  return &weights.at(std::string(kPrefix) + kPositionRows);
}

std::optional<Matrix<double>> position_table(const Position& position, TableSize size, const Weights& weights) {
  if (const std::string fault = fault_of(position, size); !fault.empty()) {
    throw ConfigError("table of positions", fault);
  }
  return std::visit(
      [&](const auto& one) -> std::optional<Matrix<double>> {
        MatrixOps ops(weights);
        if constexpr (requires { one.table(ops, size); }) return one.table(ops, size);
        return std::nullopt;
      },
      position);
}

}  // namespace summand::model
