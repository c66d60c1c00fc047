#include "lab/nulls/sinusoid.hpp"

#include <algorithm>
#include <cmath>

#include "lab/statistics/require.hpp"
#include "model/position_encoding.hpp"

namespace summand::lab {

Table sinusoid(Shape shape, double base) {
  const model::PositionEncoding encoding{.kind = model::PositionKind::sinusoidal, .base = base};
  const auto matrix = model::sinusoidal_table(encoding, shape.rows, shape.columns);
  Table table(shape.rows, shape.columns);
  std::ranges::copy(matrix.elements(), table.data());
  return table;
}

Table power_sinusoid(Shape shape, double power) {
  require(shape.columns % 2 == 0 && power > 0, "power sinusoid", "expected an even width and a power above 0");
  Table table(shape.rows, shape.columns);
  const auto bands = static_cast<double>(shape.columns / 2);
  for (Eigen::Index column = 0; column < table.cols(); column += 2) {
    const double frequency = std::pow(static_cast<double>(column / 2) / bands, power);
    for (Eigen::Index row = 0; row < table.rows(); ++row) {
      table(row, column) = std::sin(static_cast<double>(row) * frequency);
      table(row, column + 1) = std::cos(static_cast<double>(row) * frequency);
    }
  }
  return table;
}

}  // namespace summand::lab
