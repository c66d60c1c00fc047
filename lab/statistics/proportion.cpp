#include "lab/statistics/proportion.hpp"

#include <fmt/format.h>

#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

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

Interval wilson_proportion(size_t seen, size_t trials) {
  constexpr double kZ = 1.959963984540054;  // of the normal law, 97.5 % below
  require_trials(seen, trials);
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(seen) / n;
  const double middle = share + kZ * kZ / (2 * n);
  const double half = kZ * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  const double width = 1 + kZ * kZ / n;
  // At the ends half is the distance to them, up to rounding.
  return {.low = seen == 0 ? 0 : (middle - half) / width, .high = seen == trials ? 1 : (middle + half) / width};
}

}  // namespace summand::lab
