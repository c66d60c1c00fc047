#include "api/inspection/row_math.hpp"

#include <cmath>
#include <numeric>

namespace summand::api {

std::vector<double> mean_row(const Matrix<double>& table) {
  std::vector<double> mean(table.columns());
  for (size_t row = 0; row < table.rows(); ++row) {
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += table(row, i);
  }
  for (double& x : mean) x /= static_cast<double>(table.rows());
  return mean;
}

double norm(std::span<const double> row) {
  return std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
}

std::vector<double> difference(std::span<const double> row, std::span<const double> mean) {
  std::vector<double> centred(row.begin(), row.end());
  for (size_t i = 0; i < centred.size(); ++i) centred[i] -= mean[i];
  return centred;
}

}  // namespace summand::api
