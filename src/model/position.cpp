#include "model/position.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "model/matrix_ops.hpp"
#include "model/tensor.hpp"
#include "summand/error.hpp"

namespace summand::model {

namespace {

constexpr std::string_view kPrefix = "embeddings.";

/// TableOps in double precision.
class TableMatrixOps : public MatrixOps<double> {
 public:
  explicit TableMatrixOps(const Weights& weights) : weights_(weights) {}

  [[nodiscard]] Value parameter(std::string_view name) const {
    const Tensor& tensor = weights_.at(std::string(kPrefix) + std::string(name));
    const auto values = to_doubles(tensor);
    Value matrix(tensor.shape.size() == 2 ? tensor.shape[0] : 1, tensor.shape.back());
    std::ranges::copy(values, matrix.elements().begin());
    return matrix;
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

std::string validation_error(const Position& position, TableSize size) {
  return kind_error(position, size);
}

void add_parameters(const Position& position, TableSize size, Contract& contract) {
  contract.part(ParameterGroup::position_table, std::string(kPrefix));
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.add_parameters(contract, size); }) one.add_parameters(contract, size);
      },
      position);
}

std::vector<Position> typical_positions(TableSize size) {
  return typical_kinds<Position>(size);
}

const Tensor* position_rows(const Position& position, const Weights& weights) {
  if (!std::holds_alternative<LearnedPositions>(position) && !std::holds_alternative<FixedPositions>(position)) {
    return nullptr;
  }
  return &weights.at(std::string(kPrefix) + kPositionRows);
}

std::optional<Matrix<double>> position_table(const Position& position, TableSize size, const Weights& weights) {
  if (const std::string fault = validation_error(position, size); !fault.empty()) {
    throw ConfigError("table of positions", fault);
  }
  return std::visit(
      [&](const auto& one) -> std::optional<Matrix<double>> {
        TableMatrixOps ops(weights);
        if constexpr (requires { one.table(ops, size); }) return one.table(ops, size);
        return std::nullopt;
      },
      position);
}

}  // namespace summand::model
