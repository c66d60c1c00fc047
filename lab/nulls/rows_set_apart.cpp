#include "lab/nulls/rows_set_apart.hpp"

#include <algorithm>

#include "lab/nulls/named_tables.hpp"

namespace summand::lab {

std::vector<size_t> rows_set_apart(const Table& positions) {
  if (positions.rows() < 3) return {};
  auto rows = outlying_rows(positions);
  rows.push_back(0);
  rows.push_back(static_cast<size_t>(positions.rows()) - 1);
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  return rows;
}

}  // namespace summand::lab
