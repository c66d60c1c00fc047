#include "lab/statistics/normal_law.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

namespace summand::lab {

namespace {

namespace policies = boost::math::policies;

/// Not in long double, which takes several times as long; NaN stays NaN.
using Policy = policies::policy<policies::promote_double<false>, policies::domain_error<policies::ignore_error>>;
using Normal = boost::math::normal_distribution<double, Policy>;

/// How much of a standard normal law lies within the bound.
double mass(double bound) {
  return std::erf(bound / std::numbers::sqrt2);  // of a narrow bound a difference of two cdf would keep few digits
}

/// E x² and E x⁴ of a standard normal law within ±c, by parts: x·φ and x³·φ vanish nowhere but at the bounds.
double second_moment(double c) {
  return 1 - 2 * c * normal_density(c) / mass(c);
}
double fourth_moment(double c) {
  return 3 - 2 * (c * c * c + 3 * c) * normal_density(c) / mass(c);
}

}  // namespace

double normal_density(double x) {
  return pdf(Normal(), x);
}

double normal_cdf(double x) {
  return cdf(Normal(), x);
}

double TruncatedNormal::density(double x) const {
  return std::abs(x) > bound * sigma ? 0 : normal_density(x / sigma) / (sigma * mass(bound));
}

double TruncatedNormal::cdf(double x) const {
  if (x <= -bound * sigma) return 0;
  if (x >= bound * sigma) return 1;
  return (normal_cdf(x / sigma) - normal_cdf(-bound)) / mass(bound);
}

double TruncatedNormal::standard_deviation() const {
  return sigma * std::sqrt(second_moment(bound));
}

double TruncatedNormal::kurtosis() const {
  return fourth_moment(bound) / std::pow(second_moment(bound), 2);
}

}  // namespace summand::lab
