#include "calibration/compensated_rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/assert.hpp"

namespace summand::calibration {

namespace {

constexpr double kDamping = 0.01;
constexpr double kMost = 127;
/// Sums are kept in as many parts as make vector code; so many outputs are rounded side by side.
constexpr size_t kLanes = 8;

double dot(const double* left, const double* right, size_t count) {
  std::array<double, kLanes> sums{};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += left[i + lane] * right[i + lane];
  }
  for (; i < count; ++i) sums[i % kLanes] += left[i] * right[i];
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

std::vector<size_t> by_variance(const Matrix<double>& covariance) {
  std::vector<size_t> order(covariance.rows());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](size_t k) { return covariance(k, k); });
  return order;
}

/// M of a positive definite matrix M·M^T, upper triangular, in place.
/// Source: Golub & Van Loan 2013, algorithm 4.2.1, from the last row to the first
void factorise(Matrix<double>& matrix) {
  const size_t size = matrix.rows();
  for (size_t j = size; j-- > 0;) {
    const size_t behind = size - j - 1;
    const double* const row = &matrix(j, j);
    const double pivot = matrix(j, j) - dot(row + 1, row + 1, behind);
    SUMMAND_ASSERT(pivot > 0);
    matrix(j, j) = std::sqrt(pivot);
    for (size_t i = 0; i < j; ++i) {
      const double rest = matrix(i, j) - dot(&matrix(i, j) + 1, row + 1, behind);
      matrix(i, j) = rest / matrix(j, j);
    }
  }
}

}  // namespace

CompensatedRounding::CompensatedRounding(const Matrix<double>& covariance)
    : order_(by_variance(covariance)), triangle_(covariance.rows(), covariance.rows()) {
  const size_t size = order_.size();
  double trace = 0;
  for (size_t k = 0; k < size; ++k) trace += covariance(k, k);
  // Inputs that never vary say nothing: any diagonal then rounds each weight to the nearest.
  const double damping = trace > 0 ? kDamping * trace / static_cast<double>(size) : 1;
  Matrix<double> ordered(size, size);
  for (size_t i = 0; i < size; ++i) {
    for (size_t j = i; j < size; ++j) ordered(i, j) = covariance(order_[i], order_[j]);
    ordered(i, i) += damping;
  }
  factorise(ordered);
  for (size_t j = 0; j < size; ++j) {
    for (size_t k = 0; k <= j; ++k) triangle_(j, k) = ordered(k, j) / ordered(j, j);
  }
}

model::QuantizedWeight CompensatedRounding::round(MatrixView<const float> weight) const {
  const size_t in = order_.size();
  SUMMAND_ASSERT(weight.columns() == in);
  model::QuantizedWeight result{
      weight.rows(), in, std::vector<int8_t>(weight.rows() * in), std::vector<float>(weight.rows()), {}};
  std::vector<std::array<double, kLanes>> errors(in);
  for (size_t first = 0; first < weight.rows(); first += kLanes) {
    const size_t rows = std::min(kLanes, weight.rows() - first);
    for (size_t lane = 0; lane < rows; ++lane) {
      result.scales[first + lane] = model::scale_of_row(weight.row(first + lane));
    }
    for (size_t j = 0; j < in; ++j) {
      std::array<double, kLanes> carried{};
      for (size_t k = 0; k < j; ++k) {
        for (size_t lane = 0; lane < kLanes; ++lane) carried[lane] += triangle_(j, k) * errors[k][lane];
      }
      for (size_t lane = 0; lane < rows; ++lane) {
        const double exact = weight(first + lane, order_[j]);
        const double scale = result.scales[first + lane];
        const double value = scale > 0 ? std::clamp(std::nearbyint((exact + carried[lane]) / scale), -kMost, kMost) : 0;
        errors[j][lane] = exact - value * scale;
        result.values[(first + lane) * in + order_[j]] = static_cast<int8_t>(value);
      }
    }
  }
  return result;
}

}  // namespace summand::calibration
