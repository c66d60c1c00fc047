#include "lab/statistics/kolmogorov_smirnov.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

/// P(√n·D > x) for large n. Each series serves where few of its terms count.
double survival(double x) {
  using std::numbers::pi;
  if (x <= 0) return 1;
  double sum = 0;
  if (x < 1) {
    for (int k = 1; k <= 20; ++k) sum += std::exp(-std::pow((2 * k - 1) * pi / x, 2) / 8);
    return 1 - std::sqrt(2 * pi) / x * sum;
  }
  for (int k = 1; k <= 20; ++k) sum += (k % 2 == 1 ? 2 : -2) * std::exp(-2.0 * k * k * x * x);
  return sum;
}

}  // namespace

KolmogorovSmirnov kolmogorov_smirnov(std::span<const double> values, const std::function<double(double)>& cdf) {
  require(!values.empty(), "Kolmogorov-Smirnov", "expected values, got none");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto count = static_cast<double>(sorted.size());
  double statistic = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double law = cdf(sorted[i]);
    const auto before = static_cast<double>(i);
    statistic = std::max({statistic, (before + 1) / count - law, law - before / count});
  }
  return {statistic, survival(std::sqrt(count) * statistic)};
}

}  // namespace summand::lab
