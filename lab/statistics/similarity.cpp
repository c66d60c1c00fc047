#include "lab/statistics/similarity.hpp"

#include <cmath>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

double linear_cka(const Table& a, const Table& b) {
  require(a.rows() == b.rows() && a.rows() > 0, "linear CKA", "expected two tables of the same items");
  const Table x = centred(a);
  const Table y = centred(b);
  require(x.squaredNorm() > 0 && y.squaredNorm() > 0, "linear CKA", "expected rows that differ");
  if (x.rows() < x.cols() && y.rows() < y.cols()) {
    const Table of_x = x * x.transpose();
    const Table of_y = y * y.transpose();
    return of_x.cwiseProduct(of_y).sum() / (of_x.norm() * of_y.norm());
  }
  return (x.transpose() * y).squaredNorm() / ((x.transpose() * x).norm() * (y.transpose() * y).norm());
}

}  // namespace summand::lab
