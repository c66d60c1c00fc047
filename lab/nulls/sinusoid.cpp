#include "lab/nulls/sinusoid.hpp"

#include <algorithm>

#include "model/position.hpp"

namespace summand::lab {

Table sinusoid(Shape shape, double base) {
  const model::SinusoidalPositions positions{.base = base};
  const auto matrix = *model::position_table(positions, {shape.rows, shape.columns}, model::Weights());
  Table table(shape.rows, shape.columns);
  std::ranges::copy(matrix.elements(), table.data());
  return table;
}

}  // namespace summand::lab
