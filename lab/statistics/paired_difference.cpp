#include "lab/statistics/paired_difference.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

boost::math::students_t law_of(size_t pairs) {
  return boost::math::students_t(static_cast<double>(pairs - 1));
}

}  // namespace

PairedDifference::PairedDifference(std::span<const double> differences) : pairs_(differences.size()) {
  require(pairs_ >= 2, "PairedDifference", "expected two pairs or more");
  mean_ = lab::mean(differences);
  const auto count = static_cast<double>(pairs_);
  deviation_ = standard_deviation(differences) * std::sqrt(count / (count - 1));
  error_ = deviation_ / std::sqrt(count);
}

Interval PairedDifference::interval(double level) const {
  const double reach = quantile(law_of(pairs_), (1 + level) / 2) * error_;
  return {mean_ - reach, mean_ + reach};
}

double PairedDifference::p_above(double bound) const {
  if (error_ == 0) return mean_ > bound ? 0 : 1;
  return cdf(complement(law_of(pairs_), (mean_ - bound) / error_));
}

double PairedDifference::p_below(double bound) const {
  if (error_ == 0) return mean_ < bound ? 0 : 1;
  return cdf(law_of(pairs_), (mean_ - bound) / error_);
}

double PairedDifference::p_equivalent(double margin) const {
  return std::max(p_above(-margin), p_below(margin));
}

}  // namespace summand::lab
