#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/matrix.hpp"

namespace summand::model {

/// A table of positions: row r is position r, one row for each that a text may have.
struct TableSize {
  size_t rows = 0;
  size_t columns = 0;
};

/// Operations of a position table, on whole matrices. Parameters are looked up by their names in the contract,
/// below "embeddings.".
template <class Ops>
concept TableOps = requires(Ops& ops, typename Ops::Value value, std::string_view name, Matrix<double> numbers) {
  { ops.parameter(name) } -> std::same_as<typename Ops::Value>;
  { ops.constant(numbers) } -> std::same_as<typename Ops::Value>;
  // matrix product
  { ops.product(value, value) } -> std::same_as<typename Ops::Value>;
  // elementwise
  { ops.sine(value) } -> std::same_as<typename Ops::Value>;
  { ops.cosine(value) } -> std::same_as<typename Ops::Value>;
  { ops.scaled(value, 1.0) } -> std::same_as<typename Ops::Value>;
  // concatenation of columns
  { ops.side_by_side(value, value) } -> std::same_as<typename Ops::Value>;
  // elementwise
  { ops.plus(value, value) } -> std::same_as<typename Ops::Value>;
  // rows, or columns, in the order asked for
  { ops.rows(value, std::vector<size_t>()) } -> std::same_as<typename Ops::Value>;
  { ops.columns(value, std::vector<size_t>()) } -> std::same_as<typename Ops::Value>;
};

/// A column of the numbers first, first + 1, …
[[nodiscard]] inline Matrix<double> indices(size_t count, double first = 0) {
  Matrix<double> column(count, 1);
  for (size_t row = 0; row < count; ++row) column(row, 0) = first + static_cast<double>(row);
  return column;
}

}  // namespace summand::model
