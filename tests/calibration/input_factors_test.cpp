#include "calibration/input_factors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "base/matrix.hpp"

using namespace summand;
using namespace summand::calibration;

namespace {

/// Rows of which one coordinate is as many times as large as the others.
Matrix<float> rows_with_a_large_coordinate(size_t columns, size_t which, float times) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Matrix<float> rows(300, columns);
  for (float& element : rows.elements()) element = normal(random);
  for (size_t row = 0; row < rows.rows(); ++row) rows(row, which) *= times;
  return rows;
}

Matrix<float> random_weight(size_t out, size_t in) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  Matrix<float> weight(out, in);
  for (float& element : weight.elements()) element = normal(random);
  return weight;
}

}  // namespace

TEST_CASE("the geometric mean of factors is one, and a large coordinate gets a small factor") {
  const auto rows = rows_with_a_large_coordinate(24, 7, 40);
  const auto weight = random_weight(30, 24);
  const auto factors = input_factors({rows.view(), weight.view(), std::vector<float>(30, 1.0F)});
  double logarithm = 0;
  for (const float factor : factors) logarithm += std::log(double{factor});
  CHECK(std::abs(logarithm) < 1e-4);
  CHECK(std::ranges::min_element(factors) - factors.begin() == 7);
  CHECK(factors[7] < 0.5F * *std::ranges::min_element(
                                factors, {}, [&](float f) { return f == factors[7] ? 9.0F : f; }));
}

TEST_CASE("an output that does not count has no say") {
  const auto rows = rows_with_a_large_coordinate(24, 7, 10);
  auto weight = random_weight(30, 24);
  const auto without =
      input_factors({rows.view(), std::as_const(weight).view().middle_rows(0, 20), std::vector<float>(20, 1.0F)});
  for (size_t row = 20; row < 30; ++row) weight(row, 3) = 1000;
  std::vector<float> importances(30, 1.0F);
  std::fill(importances.begin() + 20, importances.end(), 0.0F);
  CHECK(input_factors({rows.view(), weight.view(), importances}) == without);
}

TEST_CASE("inputs or weights of zero give finite factors") {
  Matrix<float> rows = rows_with_a_large_coordinate(8, 1, 10);
  Matrix<float> weight = random_weight(5, 8);
  for (size_t row = 0; row < rows.rows(); ++row) rows(row, 4) = 0;
  for (size_t row = 0; row < 5; ++row) weight(row, 5) = 0;
  const std::vector<float> ones(5, 1.0F);
  for (const float factor : input_factors({rows.view(), weight.view(), ones})) {
    CHECK(factor >= 0x1p-20F);
    CHECK(factor <= 0x1p20F);
  }
  const Matrix<float> nothing(3, 8);
  CHECK(input_factors({nothing.view(), weight.view(), ones}) == std::vector<float>(8, 1.0F));
}
