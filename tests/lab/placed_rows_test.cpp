#include "lab/statistics/placed_rows.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/lab/planted.hpp"

using namespace summand::lab;

TEST_CASE("rows keep their positions when some are left out") {
  const Table table = planted::gaussian(9, 2, "placed");
  const std::vector<size_t> out{0, 4};
  const auto rows = placed_rows(table, out);
  CHECK(rows.at == std::vector<size_t>{1, 2, 3, 5, 6, 7, 8});
  CHECK(rows.span() == 8);
  CHECK(rows.rows.row(3) == table.row(5));
  CHECK(steps_of(rows) == std::vector<Eigen::Index>{0, 1, 3, 4, 5});
  const auto part = rows_between(rows, 3, 7);
  CHECK(part.at == std::vector<size_t>{3, 5, 6});
  CHECK(part.rows.row(1) == table.row(5));
  CHECK(centred_in_place(rows).row(3).isZero(0));
  CHECK(rows_between(rows, 9, 20).at.empty());
}
