#pragma once

#include <cstddef>
#include <span>

#include "base/random_stream.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// What makes paces a ladder: random ones are seldom as even.
namespace ladder_rule {
inline constexpr size_t kLeastRungs = 4;  // three ratios, of which two can differ from the first
inline constexpr size_t kRandomLadders = 10000;
inline constexpr double kNeighbourhood = 1.5;   // of neighbours in a random ladder, at least: circles are apart
inline constexpr double kLeastMeanRatio = 1.8;  // of a ladder that is judged: of nearer paces nearly any is even
inline constexpr double kSure = 0.01;           // p, at the upper end of its interval
inline constexpr double kChance = 0.05;         // p, at its lower end, and in every part
}  // namespace ladder_rule

/// How even a rising list of frequencies is, as a ladder of equal ratios, beside random ladders: of the same ends,
/// neighbours at least some ratio apart, and log-uniform otherwise.
struct Ladder {
  double ratio = 0;       ///< geometric mean of consecutive ratios
  double log_spread = 0;  ///< standard deviation of their logarithms
  double ratio_p = 1;     ///< that random ladders are as even
};

/// The lengths between so many places, two of which are the ends of a line of length 1 and the others uniform on it.
/// @param places  ends included, at least 3 @return [draws, places − 1]
[[nodiscard]] Table random_spacings(size_t places, size_t draws, RandomStream& stream);

/// Their standard deviations, draw by draw. @return [draws]
[[nodiscard]] Vector spreads_of(const Table& spacings);

/// @param frequencies  rising, all above 0, three or more
/// @param spreads  of the spacings of as many places: spreads_of()
/// @param least_ratio  of neighbours in a random ladder, 1 or more. Where frequencies of these ends have no room for
/// it,
///                     every random ladder is as even
/// @throws UsageError if frequencies are fewer or do not rise
[[nodiscard]] Ladder ladder_of(std::span<const double> frequencies, const Vector& spreads, double least_ratio);

/// Standard deviations of the logarithms of the ratios in such random ladders. @return [draws]
[[nodiscard]] Vector random_log_spreads(std::span<const double> frequencies, const Vector& spreads, double least_ratio);

}  // namespace summand::lab
