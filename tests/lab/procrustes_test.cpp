#include "lab/statistics/procrustes.hpp"

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "lab/statistics/subspaces.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

constexpr double kProcrustesRounding = 1e-9;

}  // namespace

TEST_CASE("Procrustes finds the planted rotation, and a reflection too") {
  const Table from = planted::gaussian(40, 6, "Procrustes");
  summand::RandomStream stream(1, "Procrustes");
  Table turn = random_frame(6, 6, stream);
  for (int side = 0; side < 2; ++side) {
    CHECK((orthogonal_procrustes(from, from * turn) - turn).cwiseAbs().maxCoeff() < kProcrustesRounding);
    turn.row(0) = -turn.row(0);
  }
}

TEST_CASE("of what no rotation can do, Procrustes leaves less than any other rotation") {
  const Table from = planted::gaussian(40, 6, "one side");
  const Table to = planted::gaussian(40, 6, "the other side");
  const double least = (from * orthogonal_procrustes(from, to) - to).norm();
  summand::RandomStream stream(2, "Procrustes");
  for (int draw = 0; draw < 50; ++draw) CHECK((from * random_frame(6, 6, stream) - to).norm() > least);
}

TEST_CASE("two tables of different shapes have no Procrustes rotation") {
  const Table from = planted::gaussian(8, 3, "wide");
  CHECK_THROWS_AS(static_cast<void>(orthogonal_procrustes(from, from.leftCols(2))), summand::UsageError);
}
