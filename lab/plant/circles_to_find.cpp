#include "lab/plant/circles_to_find.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/circles.hpp"
#include "lab/statistics/ladder.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

namespace plant {
namespace {

// What X1, X2 and E4 ask, and by how much more a promise has to keep clear of it: what is measured differs from what
// was planted by noise, and by what circles of few turns take from each other.
constexpr double kShare = 1.1 * circle_rule::kMostOf;  // of the variance, in circles, in every part
constexpr double kMoreTurns = 1.1;                     // times the least turns
constexpr double kClear = 1.2;                         // times the least ratio of neighbours
constexpr double kLineWidth = 1.5;         // turns: nearer than that, lines under a Hann window lie on each other
constexpr double kVariation = 0.5;         // of the variation that a radius may have, what noise may give it
constexpr double kPaceError = 0.01;        // of a pace, by noise and by the other circles
constexpr size_t kRowsSetApart = 2;        // row 0 and the last
constexpr size_t kSpareRows = 8;           // others may stand out by chance
constexpr size_t kLeastRingRows = 64;      // of E4
constexpr size_t kLeastRingColumns = 8;    // in fewer, random walks go in spirals by chance
constexpr double kRingTurns = 8;           // a slower one is half explained by the slow end of a spiral
constexpr double kStandardDeviations = 5;  // p has an interval, whose upper end decides

/// A ring's noise lies beside its circle, a clock's as well; a drift is the clocks' alone.
struct Planted {
  Vector paces;  ///< cycles a row, slowest first
  double drift = 0;
  const PlantedTableSettings& settings;

  Planted(PlantedTable kind, const PlantedTableSettings& of)
      : paces(paces_of(kind, of)), drift(kind == PlantedTable::clocks ? of.drift : 0), settings(of) {}

  [[nodiscard]] double share() const { return 1 / (1 + settings.noise * settings.noise); }
  /// Of a circle's radius, by noise, as a share of its mean.
  [[nodiscard]] double variation() const {
    return settings.noise * std::sqrt(static_cast<double>(paces.size()) / static_cast<double>(settings.columns));
  }
  /// A pace is at most so many times its mean, anywhere.
  [[nodiscard]] double most_change() const { return std::exp(kMostDrifted * drift); }
};

/// Positions in the smallest part that X1 looks at by itself.
double smallest_part(size_t rows) {
  const size_t ordinary = rows - kRowsSetApart;
  constexpr auto kShort = static_cast<size_t>(kShortSequence);
  size_t least = ordinary / 2;
  if (ordinary - (kShort - 1) >= circle_rule::kLeastPartRows) {
    least = std::min({least, kShort - 1, ordinary - (kShort - 1)});
  }
  return static_cast<double>(least);
}

/// Whether nothing else turns at frequencies like a circle's, in so many positions.
bool stands_alone(const Planted& planted, Eigen::Index circle, double positions) {
  using circle_rule::kNeighbourhood;
  const double turns = planted.paces(circle) * positions;
  const double change = planted.most_change();
  const double low = std::min(turns / (kClear * kNeighbourhood * change), turns - kLineWidth);
  const double high = std::max(turns * kClear * kNeighbourhood * change, turns + kLineWidth);
  for (Eigen::Index other = 0; other < planted.paces.size(); ++other) {
    const double theirs = planted.paces(other) * positions;
    if (other != circle && theirs > low && theirs < high) return false;
  }
  return true;
}

/// Whether noise and drift leave circles what they are.
bool are_circles(const Planted& planted) {
  using namespace circle_rule;
  const double change = planted.most_change();
  return change * change <= kMostPaceChange && planted.variation() <= kVariation * kMostVariation &&
         static_cast<size_t>(2 * planted.paces.size()) <= kMostComponents;
}

bool goes_round(const Planted& planted, Eigen::Index circle, double positions) {
  const double change = planted.most_change();
  const double pace = planted.paces(circle);
  return pace * positions >= std::max(kMoreTurns, change) * circle_rule::kLeastTurns && pace * change <= 0.5;
}

/// Paces of circles that have to be found in so many positions.
std::vector<double> paces_found(const Planted& planted, double positions) {
  std::vector<double> found;
  for (Eigen::Index circle = 0; circle < planted.paces.size(); ++circle) {
    if (goes_round(planted, circle, positions) && stands_alone(planted, circle, positions)) {
      found.push_back(planted.paces(circle));
    }
  }
  return found;
}

/// Whether random ladders of the same ends are seldom as even as these paces are found to be, in any part.
bool is_even(const std::vector<double>& paces, double drift) {
  RandomStream stream(0, "plant: ladders");
  const Vector spreads = spreads_of(random_spacings(paces.size(), ladder_rule::kRandomLadders, stream));
  const Vector random = random_log_spreads(paces, spreads, circle_rule::kNeighbourhood);
  const double error = std::sqrt(2) * std::hypot(drift, kPaceError);
  return quantile(elements(random), ladder_rule::kSure) > kStandardDeviations * error;
}

bool is_ring(const Planted& planted) {
  const auto& settings = planted.settings;
  return planted.paces.size() == 1 && settings.rows >= kLeastRingRows + kSpareRows &&
         settings.columns >= kLeastRingColumns && settings.noise > 0 && planted.share() >= kShare &&
         planted.variation() <= kVariation * circle_rule::kMostVariation && settings.turns >= kRingTurns;
}

}  // namespace
}  // namespace plant

CirclesToFind circles_to_find(PlantedTable kind, const PlantedTableSettings& settings) {
  using namespace plant;
  const Planted planted(kind, settings);
  CirclesToFind to_find{.ring = is_ring(planted)};
  if (settings.rows < circle_rule::kLeastRows + kRowsSetApart + kSpareRows) return to_find;
  if (!are_circles(planted)) return to_find;
  const auto in_part = static_cast<double>(paces_found(planted, smallest_part(settings.rows)).size());
  to_find.clocks = in_part / static_cast<double>(planted.paces.size()) * planted.share() >= kShare;
  const auto all_positions = static_cast<double>(settings.rows - kRowsSetApart);
  const auto paces = paces_found(planted, all_positions);
  to_find.ladder = to_find.clocks && paces.size() == settings.circles && paces.size() >= ladder_rule::kLeastRungs &&
                   is_even(paces, planted.drift);
  return to_find;
}

size_t slow_clocks(const PlantedTableSettings& settings) {
  const Vector paces = paces_of(PlantedTable::clocks, settings);
  const double turns_of_one = static_cast<double>(settings.rows);
  return static_cast<size_t>((paces.array() * turns_of_one < circle_rule::kLeastTurns).count());
}

}  // namespace summand::lab
