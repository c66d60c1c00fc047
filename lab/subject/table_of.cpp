#include "lab/subject/table_of.hpp"

namespace summand::lab {

using Eigen::Index;

Table table_of(MatrixView<const float> values) {
  Table table(static_cast<Index>(values.rows()), static_cast<Index>(values.columns()));
  for (size_t row = 0; row < values.rows(); ++row) {
    const auto from = values.row(row);
    for (size_t column = 0; column < from.size(); ++column) {
      table(static_cast<Index>(row), static_cast<Index>(column)) = double{from[column]};
    }
  }
  return table;
}

Table table_of(const model::Tensor& tensor) {
  const auto values = model::to_doubles(tensor);
  const auto columns = static_cast<Index>(tensor.shape.back());
  return Eigen::Map<const Table>(values.data(), static_cast<Index>(values.size()) / columns, columns);
}

}  // namespace summand::lab
