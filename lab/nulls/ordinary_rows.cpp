#include "lab/nulls/ordinary_rows.hpp"

#include "lab/nulls/named_tables.hpp"

namespace summand::lab {

PlacedRows ordinary_rows(const Table& table, size_t rows, size_t components) {
  PlacedRows ordinary = placed_rows(table, outlying_rows(table));
  return lacking(ordinary.rows, rows, components) ? placed_rows(table) : ordinary;
}

}  // namespace summand::lab
