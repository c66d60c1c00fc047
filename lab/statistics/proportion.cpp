#include "lab/statistics/proportion.hpp"

#include <fmt/format.h>

#include <boost/math/special_functions/beta.hpp>

#include "lab/statistics/require.hpp"

namespace summand::lab {

Interval exact_proportion(size_t seen, size_t trials) {
  constexpr double kTail = 0.025;
  require(trials > 0 && seen <= trials, "proportion",
          fmt::format("expected 0 to {} of {}, got {}", trials, trials, seen));
  const auto k = static_cast<double>(seen);
  const auto n = static_cast<double>(trials);
  return {.low = seen == 0 ? 0 : boost::math::ibeta_inv(k, n - k + 1, kTail),
          .high = seen == trials ? 1 : boost::math::ibetac_inv(k + 1, n - k, kTail)};
}

}  // namespace summand::lab
