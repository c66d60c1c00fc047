#pragma once

#include <Eigen/Core>

namespace summand::lab {

/// Rows are items (positions, tokens, samples), columns are coordinates.
using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

}  // namespace summand::lab
