#include "lab/statistics/normal_law.hpp"

#include <cmath>
#include <numbers>

namespace summand::lab {

namespace {

/// How much of a standard normal law lies within the bound.
double mass(double bound) {
  return std::erf(bound / std::numbers::sqrt2);
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
  return std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

double normal_cdf(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
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
