#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/statistics/interval.hpp"

namespace summand::lab {

/// How often something is drawn. Draw i has the stream (seed, "name i"), so that it is the same on every thread.
struct Draws {
  uint64_t seed = 0;
  std::string name;
  size_t count = 1000;
  int threads = 1;  ///< of the shared pool; what is drawn does not depend on it
};

/// What `of` makes of each draw's stream. @param of  called from several threads at a time
[[nodiscard]] std::vector<double> drawn(const Draws& draws, const std::function<double(RandomStream&)>& of);

/// The middle 95 % of the values.
[[nodiscard]] Interval middle_95_percent(std::span<const double> values);

/// A statistic of the items with these numbers, which may repeat; called from several threads at a time. Paired
/// measurements are resampled as pairs by reading both at each number.
using IndexStatistic = std::function<double(std::span<const size_t>)>;

/// Items that have a percentile bootstrap, at least. Nothing but the smallest one is drawn with a chance of n^−n: of
/// two items 1/4, of three 1/27, more than the 2.5 % that an interval leaves out at either end, so that it reaches from
/// the smallest to the largest whatever lies between. Of four it is 1/256.
inline constexpr size_t kLeastResampled = 4;

/// Percentile bootstrap: items are drawn with replacement.
/// @throws UsageError with fewer than kLeastResampled items, or no draw
/// Source: Efron 1979
[[nodiscard]] Interval bootstrap(size_t items, const IndexStatistic& statistic, const Draws& draws);

/// The same of the share of an item's cases of which something is true. Where it is true of all cases, or of none,
/// drawing the items anew says nothing: then what the exact binomial allows of so many cases.
/// @param cases  in all items together, 1 or more
/// @throws UsageError as bootstrap()
[[nodiscard]] Interval bootstrap_share(size_t items, size_t cases, const IndexStatistic& share, const Draws& draws);

/// Percentile bootstrap for rows of a smooth path, which are no independent items: blocks of neighbouring rows are
/// drawn until there are as many rows as before; the last block is cut.
/// @param block  1 … rows
/// Source: Künsch 1989
[[nodiscard]] Interval block_bootstrap(size_t rows, size_t block, const IndexStatistic& statistic, const Draws& draws);

/// Which values of the null count as at least as extreme.
enum class Tail { greater, less, either_sign };

/// (1 + how many null values are at least as extreme) / (1 + how many there are): never 0.
/// Source: Phipson & Smyth 2010
[[nodiscard]] double permutation_p(double observed, std::span<const double> null, Tail tail);

}  // namespace summand::lab
