#include "lab/statistics/change_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

/// Permutations that leave the series as it was differ by rounding alone.
constexpr double kRounding = 1e-9;

std::vector<double> centred_series(std::span<const double> series, const ChangeSettings& settings) {
  require(settings.margin >= 1 && series.size() >= 2 * settings.margin, "change point",
          fmt::format("expected {} items or more, got {}", 2 * settings.margin, series.size()));
  require(settings.block >= 1 && series.size() >= 2 * settings.block, "change point",
          fmt::format("expected two blocks of {} items or more, got {} items", settings.block, series.size()));
  require(standard_deviation(series) > 0, "change point", "expected a series that is not constant");
  std::vector<double> centred(series.begin(), series.end());
  const double centre = mean(series);
  for (double& value : centred) value -= centre;
  return centred;
}

/// Of a series of mean 0: what a change at `place` explains of the sum of squares.
double explained(double sum_before, size_t place, size_t count) {
  const auto before = static_cast<double>(place);
  return sum_before * sum_before * (1 / before + 1 / static_cast<double>(count - place));
}

/// The best place in [first, last].
ChangePoint search(std::span<const double> centred, size_t first, size_t last) {
  ChangePoint best;
  const double squares = std::inner_product(centred.begin(), centred.end(), centred.begin(), 0.0);
  double sum = 0;
  for (size_t place = 1; place <= last; ++place) {
    sum += centred[place - 1];
    if (place < first) continue;
    const double share = explained(sum, place, centred.size()) / squares;
    if (place > first && share <= best.share) continue;
    const double after = -sum / static_cast<double>(centred.size() - place);
    best = {place, after - sum / static_cast<double>(place), share, 1};
  }
  return best;
}

/// The blocks in random order; where they begin is random too, around the end, so that no cut is always there.
std::vector<double> permuted(std::span<const double> series, size_t block, RandomStream& stream) {
  const size_t offset = block > 1 ? stream.below(series.size()) : 0;
  std::vector<size_t> starts;
  for (size_t at = 0; at < series.size(); at += block) starts.push_back(at);
  stream.shuffle(std::span(starts));
  std::vector<double> result;
  result.reserve(series.size());
  for (const size_t start : starts) {
    for (size_t i = start; i < std::min(start + block, series.size()); ++i) {
      result.push_back(series[(i + offset) % series.size()]);
    }
  }
  return result;
}

/// The places that are searched, both included.
struct Places {
  size_t first = 0;
  size_t last = 0;
};

ChangePoint tested(std::span<const double> centred, Places places, size_t block, const Draws& draws) {
  ChangePoint found = search(centred, places.first, places.last);
  const auto null = drawn(draws, [&](RandomStream& stream) {
    return search(permuted(centred, block, stream), places.first, places.last).share;
  });
  found.p = permutation_p(found.share * (1 - kRounding), null, Tail::greater);
  return found;
}

}  // namespace

ChangePoint best_change_point(std::span<const double> series, const ChangeSettings& settings, const Draws& draws) {
  const auto centred = centred_series(series, settings);
  return tested(centred, {settings.margin, centred.size() - settings.margin}, settings.block, draws);
}

ChangePoint change_at(std::span<const double> series, size_t place, const ChangeSettings& settings,
                      const Draws& draws) {
  const auto centred = centred_series(series, settings);
  require(
      place >= settings.margin && place + settings.margin <= series.size(), "change point",
      fmt::format("expected a place from {} to {}, got {}", settings.margin, series.size() - settings.margin, place));
  return tested(centred, {place, place}, settings.block, draws);
}

}  // namespace summand::lab
