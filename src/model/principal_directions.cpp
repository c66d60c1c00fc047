#include "model/principal_directions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/assert.hpp"

namespace summand::model {

namespace {

Matrix<double> covariance(const Matrix<double>& table) {
  const size_t width = table.columns();
  std::vector<double> mean(width);
  for (size_t row = 0; row < table.rows(); ++row) {
    for (size_t i = 0; i < width; ++i) mean[i] += table(row, i) / static_cast<double>(table.rows());
  }
  Matrix<double> products(width, width);
  std::vector<double> centred(width);
  for (size_t row = 0; row < table.rows(); ++row) {
    for (size_t i = 0; i < width; ++i) centred[i] = table(row, i) - mean[i];
    for (size_t i = 0; i < width; ++i) {
      for (size_t j = 0; j <= i; ++j) products(i, j) += centred[i] * centred[j];
    }
  }
  for (size_t i = 0; i < width; ++i) {
    for (size_t j = 0; j < i; ++j) products(j, i) = products(i, j);
  }
  return products;
}

/// Turns coordinates p and q so that their product becomes 0: rows and columns of the matrix, rows of the directions.
void rotate(Matrix<double>& matrix, Matrix<double>& directions, size_t p, size_t q) {
  const double theta = (matrix(q, q) - matrix(p, p)) / (2 * matrix(p, q));
  const double tangent = std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double cosine = 1 / std::sqrt(tangent * tangent + 1);
  const double sine = tangent * cosine;
  const auto turn = [&](double& a, double& b) {
    const double x = a;
    const double y = b;
    a = cosine * x - sine * y;
    b = sine * x + cosine * y;
  };
  for (size_t i = 0; i < matrix.rows(); ++i) turn(matrix(i, p), matrix(i, q));
  for (size_t i = 0; i < matrix.rows(); ++i) turn(matrix(p, i), matrix(q, i));
  for (size_t i = 0; i < directions.columns(); ++i) turn(directions(p, i), directions(q, i));
}

double largest_diagonal(const Matrix<double>& matrix) {
  double largest = 0;
  for (size_t i = 0; i < matrix.rows(); ++i) largest = std::max(largest, std::abs(matrix(i, i)));
  return largest;
}

}  // namespace

Matrix<double> principal_directions(const Matrix<double>& table, size_t count) {
  SUMMAND_ASSERT(count <= table.columns());
  constexpr int kMostSweeps = 30;
  constexpr double kSmall = 1e-15;  // relative to the largest energy
  Matrix<double> matrix = covariance(table);
  const size_t width = matrix.rows();
  Matrix<double> directions(width, width);
  for (size_t i = 0; i < width; ++i) directions(i, i) = 1;
  const double bound = kSmall * largest_diagonal(matrix);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool turned = false;
    for (size_t p = 0; p < width; ++p) {
      for (size_t q = p + 1; q < width; ++q) {
        if (std::abs(matrix(p, q)) <= bound) continue;
        rotate(matrix, directions, p, q);
        turned = true;
      }
    }
    if (!turned) break;
  }
  std::vector<size_t> order(width);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return matrix(a, a) > matrix(b, b); });
  Matrix<double> first(count, width);
  for (size_t row = 0; row < count; ++row) {
    const auto from = directions.row(order[row]);
    const double largest = *std::ranges::max_element(from, {}, [](double x) { return std::abs(x); });
    std::ranges::transform(from, first.row(row).begin(), [&](double x) { return largest < 0 ? -x : x; });
  }
  return first;
}

}  // namespace summand::model
