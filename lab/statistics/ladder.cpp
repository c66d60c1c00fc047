#include "lab/statistics/ladder.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// Random ladders' logarithms of ratios are log(least ratio) + room · spacing.
double room_between(std::span<const double> frequencies, double least_ratio) {
  const double range = std::log(frequencies.back() / frequencies.front());
  return std::max(0.0, range - std::log(least_ratio) * static_cast<double>(frequencies.size() - 1));
}

}  // namespace

Table random_spacings(size_t places, size_t draws, RandomStream& stream) {
  require(places >= 3, "ladder", "expected three places or more");
  Table spacings(static_cast<Index>(draws), static_cast<Index>(places) - 1);
  std::vector<double> at(places);
  for (Index draw = 0; draw < spacings.rows(); ++draw) {
    at.front() = 0;
    at.back() = 1;
    for (size_t i = 1; i + 1 < places; ++i) at[i] = stream.uniform();
    std::ranges::sort(at);
    for (size_t i = 0; i + 1 < places; ++i) spacings(draw, static_cast<Index>(i)) = at[i + 1] - at[i];
  }
  return spacings;
}

Vector spreads_of(const Table& spacings) {
  return Vector::NullaryExpr(spacings.rows(), [&](Index draw) {
    return std::sqrt((spacings.row(draw).array() - spacings.row(draw).mean()).square().mean());
  });
}

Vector random_log_spreads(std::span<const double> frequencies, const Vector& spreads, double least_ratio) {
  return room_between(frequencies, least_ratio) * spreads;
}

Ladder ladder_of(std::span<const double> frequencies, const Vector& spreads, double least_ratio) {
  require(frequencies.size() >= 3, "ladder", "expected three frequencies or more");
  const bool rises = std::ranges::is_sorted(frequencies, std::ranges::less_equal{}) && frequencies.front() > 0;
  require(rises, "ladder", "expected frequencies above 0 that rise");
  std::vector<double> logarithms;
  for (size_t i = 0; i + 1 < frequencies.size(); ++i) {
    logarithms.push_back(std::log(frequencies[i + 1] / frequencies[i]));
  }
  Ladder ladder{.ratio = std::exp(mean(logarithms)), .log_spread = standard_deviation(logarithms)};
  if (room_between(frequencies, least_ratio) == 0) return ladder;
  ladder.ratio_p =
      permutation_p(ladder.log_spread, elements(random_log_spreads(frequencies, spreads, least_ratio)), Tail::less);
  return ladder;
}

}  // namespace summand::lab
