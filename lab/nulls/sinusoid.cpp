#include "lab/nulls/sinusoid.hpp"

#include <algorithm>

#include "model/position_encoding.hpp"

namespace summand::lab {

Table sinusoid(Shape shape, double base) {
  const model::PositionEncoding encoding{.kind = model::PositionKind::sinusoidal, .base = base};
  const auto matrix = model::sinusoidal_table(encoding, shape.rows, shape.columns);
  Table table(shape.rows, shape.columns);
  std::ranges::copy(matrix.elements(), table.data());
  return table;
}

}  // namespace summand::lab
