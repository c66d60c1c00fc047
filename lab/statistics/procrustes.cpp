#include "lab/statistics/procrustes.hpp"

#include <Eigen/SVD>

#include "lab/statistics/require.hpp"

namespace summand::lab {

Table orthogonal_procrustes(const Table& from, const Table& to) {
  require(from.rows() == to.rows() && from.cols() == to.cols(), "Procrustes", "expected two tables of one shape");
  const Eigen::MatrixXd products = from.transpose() * to;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(products, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

}  // namespace summand::lab
