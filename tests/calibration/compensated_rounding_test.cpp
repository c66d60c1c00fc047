#include "calibration/compensated_rounding.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/matrix.hpp"
#include "calibration/second_moment.hpp"
#include "model/tensor.hpp"

using namespace summand;
using namespace summand::calibration;

namespace {

Matrix<float> random_rows(size_t rows, size_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Matrix<float> matrix(rows, columns);
  for (float& element : matrix.elements()) element = normal(random);
  return matrix;
}

Matrix<double> diagonal(const std::vector<double>& entries) {
  Matrix<double> matrix(entries.size(), entries.size());
  for (size_t k = 0; k < entries.size(); ++k) matrix(k, k) = entries[k];
  return matrix;
}

/// (e - mean)'s square summed over rows of inputs: what an output is off by, its mean left out.
double error(const Matrix<double>& covariance, std::span<const float> exact, const model::QuantizedWeight& rounded,
             size_t row) {
  std::vector<double> off;
  for (size_t k = 0; k < exact.size(); ++k) {
    off.push_back(exact[k] - double{rounded.scales[row]} * rounded.values[row * rounded.in + k]);
  }
  double total = 0;
  for (size_t i = 0; i < off.size(); ++i) {
    for (size_t j = 0; j < off.size(); ++j) total += off[i] * covariance(i, j) * off[j];
  }
  return total;
}

}  // namespace

TEST_CASE("where inputs say nothing of each other every weight goes to the nearest value") {
  const auto weight = random_rows(11, 13, 1);
  const auto nearest = model::quantize_weight(model::make_tensor({11, 13}, weight.elements()));
  std::vector<double> variances;
  for (int k = 0; k < 13; ++k) variances.push_back(1 + k % 5);
  for (const auto& covariance : {diagonal(variances), diagonal(std::vector<double>(13))}) {
    const auto rounded = CompensatedRounding(covariance).round(weight.view());
    CHECK(rounded.scales == nearest.scales);
    CHECK(rounded.values == nearest.values);
  }
}

TEST_CASE("what rounding takes from a weight the next one gives, by hand") {
  // Scale 1. Inputs 0 and 1 nearly the same: 0.4 that the first loses is added to the second, 10.3, which is 10.7 then.
  Matrix<double> covariance(3, 3);
  covariance(0, 0) = 1.0002;
  covariance(1, 1) = covariance(0, 1) = covariance(1, 0) = 1;
  covariance(2, 2) = 0.5;
  const Matrix<float> weight(1, 3, {5.4F, 10.3F, 127});
  const auto rounded = CompensatedRounding(covariance).round(weight.view());
  CHECK(rounded.scales == std::vector<float>{1});
  CHECK(rounded.values == std::vector<int8_t>{5, 11, 127});
}

TEST_CASE("a weight at the end of the range stays within it, and a row of zeros keeps scale 0") {
  Matrix<double> covariance(2, 2);
  covariance(0, 0) = 1.0002;
  covariance(1, 1) = covariance(0, 1) = covariance(1, 0) = 1;
  const Matrix<float> weight(2, 2, {126.4F, 127, 0, 0});
  const auto rounded = CompensatedRounding(covariance).round(weight.view());
  CHECK(rounded.values == std::vector<int8_t>{126, 127, 0, 0});
  CHECK(rounded.scales == std::vector<float>{1, 0});
}

TEST_CASE("no number of outputs rounded side by side changes one of them") {
  const auto inputs = random_rows(40, 21, 2);
  const CompensatedRounding rounding(covariance(inputs.view(), std::vector<float>(21, 1.0F)));
  const auto weight = random_rows(19, 21, 3);
  const auto all = rounding.round(weight.view());
  for (size_t row = 0; row < weight.rows(); ++row) {
    const auto own = weight.row(row);
    const Matrix<float> alone(1, 21, {own.begin(), own.end()});
    const auto rounded = rounding.round(alone.view());
    CHECK(std::equal(rounded.values.begin(), rounded.values.end(), all.values.begin() + static_cast<long>(row * 21)));
  }
}

TEST_CASE("on inputs that go together the outputs are nearer than with every weight rounded alone") {
  const auto hidden = random_rows(200, 8, 4);
  const auto mixing = random_rows(8, 32, 5);
  const auto noise = random_rows(200, 32, 6);
  Matrix<float> inputs(200, 32);
  for (size_t row = 0; row < 200; ++row) {
    for (size_t k = 0; k < 32; ++k) {
      inputs(row, k) = 0.1F * noise(row, k);
      for (size_t i = 0; i < 8; ++i) inputs(row, k) += hidden(row, i) * mixing(i, k);
    }
  }
  const auto moments = covariance(inputs.view(), std::vector<float>(32, 1.0F));
  const auto weight = random_rows(16, 32, 7);
  const auto rounded = CompensatedRounding(moments).round(weight.view());
  const auto nearest = model::quantize_weight(model::make_tensor({16, 32}, weight.elements()));
  double compensated = 0;
  double alone = 0;
  for (size_t row = 0; row < 16; ++row) {
    compensated += error(moments, weight.row(row), rounded, row);
    alone += error(moments, weight.row(row), nearest, row);
  }
  CHECK(compensated < 0.5 * alone);
}

TEST_CASE("the covariance is that of the definition, with columns multiplied") {
  constexpr double kOfFloatSums = 1e-4;
  const auto rows = random_rows(1100, 5, 8);  // more than are summed at a time
  const std::vector<float> factors{1, 2, 0.5F, -1, 3};
  const auto got = covariance(rows.view(), factors);
  const auto means = column_means(rows.view());
  for (size_t i = 0; i < 5; ++i) {
    for (size_t j = 0; j < 5; ++j) {
      double total = 0;
      for (size_t row = 0; row < rows.rows(); ++row) total += (rows(row, i) - means[i]) * (rows(row, j) - means[j]);
      CHECK(got(i, j) == doctest::Approx(total / 1100 * factors[i] * factors[j]).epsilon(kOfFloatSums));
    }
  }
}
