#include "lab/statistics/resampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/thread_pool.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/proportion.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

std::vector<double> drawn(const Draws& draws, const std::function<double(RandomStream&)>& of) {
  std::vector<double> values(draws.count);
  ThreadPool::shared().run(draws.count, std::max(1, draws.threads), [&](size_t draw, int) {
    RandomStream stream(draws.seed, fmt::format("{} {}", draws.name, draw));
    values[draw] = of(stream);
  });
  return values;
}

Interval middle_95_percent(std::span<const double> values) {
  return {quantile(values, 0.025), quantile(values, 0.975)};
}

Interval bootstrap(size_t items, const IndexStatistic& statistic, const Draws& draws) {
  require(items >= kLeastResampled, "bootstrap",
          fmt::format("expected {} items or more, got {}", kLeastResampled, items));
  return block_bootstrap(items, 1, statistic, draws);
}

Interval bootstrap_share(size_t items, size_t cases, const IndexStatistic& share, const Draws& draws) {
  constexpr double kRounding = 1e-12;  // of sums of shares
  const Interval drawn_anew = bootstrap(items, share, draws);
  if (drawn_anew.high <= kRounding) return exact_proportion(0, cases);
  if (drawn_anew.low >= 1 - kRounding) return exact_proportion(cases, cases);
  return drawn_anew;
}

Interval block_bootstrap(size_t rows, size_t block, const IndexStatistic& statistic, const Draws& draws) {
  require(rows > 0 && draws.count > 0, "bootstrap", "expected items and draws, got none");
  require(block >= 1 && block <= rows, "bootstrap",
          fmt::format("expected blocks of 1 to {} rows, got {}", rows, block));
  return middle_95_percent(drawn(draws, [&](RandomStream& stream) {
    std::vector<size_t> chosen(rows);
    for (size_t at = 0; at < rows; at += block) {
      const size_t first = stream.below(rows - block + 1);
      for (size_t i = 0; i < std::min(block, rows - at); ++i) chosen[at + i] = first + i;
    }
    return statistic(chosen);
  }));
}

double permutation_p(double observed, std::span<const double> null, Tail tail) {
  const auto beyond = std::ranges::count_if(null, [&](double value) {
    switch (tail) {
      case Tail::greater:
        return value >= observed;
      case Tail::less:
        return value <= observed;
      case Tail::either_sign:
        return std::abs(value) >= std::abs(observed);
    }
    return false;
  });
  return static_cast<double>(1 + beyond) / static_cast<double>(1 + null.size());
}

}  // namespace summand::lab
