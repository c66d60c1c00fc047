#include "lab/statistics/kolmogorov_smirnov.hpp"

#include <algorithm>
#include <boost/math/distributions/kolmogorov_smirnov.hpp>
#include <vector>

#include "lab/statistics/require.hpp"

namespace summand::lab {

KolmogorovSmirnov kolmogorov_smirnov(std::span<const double> values, const std::function<double(double)>& cdf) {
  require(!values.empty(), "Kolmogorov-Smirnov", "expected values, got none");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto count = static_cast<double>(sorted.size());
  double statistic = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double expected = cdf(sorted[i]);
    const auto before = static_cast<double>(i);
    statistic = std::max({statistic, (before + 1) / count - expected, expected - before / count});
  }
  const boost::math::kolmogorov_smirnov_distribution law(count);
  return {statistic, boost::math::cdf(complement(law, statistic))};
}

}  // namespace summand::lab
