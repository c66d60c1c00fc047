#include "lab/statistics/proportion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

constexpr double kZ = 1.959963984540054;  // of the normal law, 97.5 % below

void require_trials(size_t seen, size_t trials) {
  require(trials > 0 && seen <= trials, "proportion",
          fmt::format("expected 0 to {} of {}, got {}", trials, trials, seen));
}

}  // namespace

Interval exact_proportion(size_t seen, size_t trials) {
  constexpr double kTail = 0.025;
  require_trials(seen, trials);
  const auto k = static_cast<double>(seen);
  const auto n = static_cast<double>(trials);
  return {.low = seen == 0 ? 0 : boost::math::ibeta_inv(k, n - k + 1, kTail),
          .high = seen == trials ? 1 : boost::math::ibetac_inv(k + 1, n - k, kTail)};
}

Interval wilson_share(double share, size_t trials) {
  require_trials(0, trials);
  if (!(share >= 0 && share <= 1)) {
    throw UsageError("share", fmt::format("expected a number from 0 to 1, got {}", share));
  }
  const auto n = static_cast<double>(trials);
  const double middle = share + kZ * kZ / (2 * n);
  const double half = kZ * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  const double width = 1 + kZ * kZ / n;
  // At the ends half is the distance to them, up to rounding.
  return {.low = share == 0 ? 0 : (middle - half) / width, .high = share == 1 ? 1 : (middle + half) / width};
}

Interval wilson_proportion(size_t seen, size_t trials) {
  require_trials(seen, trials);
  return wilson_share(static_cast<double>(seen) / static_cast<double>(trials), trials);
}

Interval difference_of_matched_shares(std::span<const double> differences) {
  require_trials(0, differences.size());
  constexpr double kAdded = 2;  // trials: of these half a one has 1, half a one -1, and one 0
  double sum = 0;
  double squares = kAdded / 2;
  for (const double difference : differences) {
    sum += difference;
    squares += difference * difference;
  }
  const double trials = static_cast<double>(differences.size()) + kAdded;
  const double middle = sum / trials;
  const double half = kZ * std::sqrt(squares - sum * sum / trials) / trials;
  return {.low = std::max(-1.0, middle - half), .high = std::min(1.0, middle + half)};
}

}  // namespace summand::lab
