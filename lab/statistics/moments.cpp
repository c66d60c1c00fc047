#include "lab/statistics/moments.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

Eigen::Map<const Eigen::ArrayXd> array_of(std::span<const double> values) {
  require(!values.empty(), "moments", "expected values, got none");
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

double mean(std::span<const double> values) {
  return array_of(values).mean();
}

double standard_deviation(std::span<const double> values) {
  const auto x = array_of(values);
  return std::sqrt((x - x.mean()).square().mean());
}

double kurtosis(std::span<const double> values) {
  const auto x = array_of(values);
  const double centre = x.mean();
  double second = 0;
  double fourth = 0;
  for (const double value : values) {
    const double square = (value - centre) * (value - centre);
    second += square;
    fourth += square * square;
  }
  require(second > 0, "kurtosis", "expected values that differ, got one value many times");
  return fourth * static_cast<double>(values.size()) / (second * second);
}

double quantile(std::span<const double> values, double probability) {
  require(!values.empty(), "quantile", "expected values, got none");
  require(probability >= 0 && probability <= 1, "quantile", "expected a probability in [0, 1]");
  std::vector<double> sorted(values.begin(), values.end());
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(sorted.begin(), at, sorted.end());
  const double low = *at;
  if (below + 1 == sorted.size()) return low;
  const double high = *std::min_element(at + 1, sorted.end());
  return low + (place - static_cast<double>(below)) * (high - low);
}

double median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double tail_fraction(std::span<const double> values, double threshold) {
  require(!values.empty(), "tail fraction", "expected values, got none");
  const auto beyond = std::ranges::count_if(values, [&](double value) { return std::abs(value) > threshold; });
  return static_cast<double>(beyond) / static_cast<double>(values.size());
}

Vector column_means(const Table& table) {
  require(table.rows() > 0, "column means", "expected rows, got none");
  return table.colwise().mean().transpose();
}

Vector column_deviations(const Table& table) {
  const Table x = centred(table);
  return x.array().square().colwise().mean().sqrt().matrix().transpose();
}

Table centred(const Table& table) {
  require(table.rows() > 0, "centring", "expected rows, got none");
  return table.rowwise() - table.colwise().mean();
}

}  // namespace summand::lab
