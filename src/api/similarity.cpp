#include "summand/similarity.hpp"

#include <cmath>
#include <span>

namespace summand {

namespace {

double dot(std::span<const float> a, std::span<const float> b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += static_cast<double>(a[i]) * b[i];
  return total;
}

}  // namespace

Matrix<double> cosine_similarity(const Matrix<float>& vectors) {
  Matrix<double> similarity(vectors.rows(), vectors.rows());
  for (size_t i = 0; i < vectors.rows(); ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const double norms = std::sqrt(dot(vectors.row(i), vectors.row(i)) * dot(vectors.row(j), vectors.row(j)));
      similarity(i, j) = similarity(j, i) = norms > 0 ? dot(vectors.row(i), vectors.row(j)) / norms : 0;
    }
  }
  return similarity;
}

}  // namespace summand
