#include "lab/plant/circles_to_find.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/statistics/circles.hpp"
#include "lab/statistics/ladder.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/step_motion.hpp"

namespace summand::lab {

namespace plant {
namespace {

// What X1, X2 and E4 ask, and by how much more a promise has to keep clear of it: what is measured differs from what
// was planted by noise, and by what circles of few turns take from each other.
constexpr double kShare = 1.1 * circle_rule::kMostOf;  // of the variance, in circles
constexpr double kMoreTurns = 1.2;                     // times the least turns
constexpr double kApart = 1.5;                         // turns in half of the rows: nearer paces are not told apart
constexpr double kOfHalf =
    2 / std::numbers::pi;              // of a drift's largest sinusoid, the most that half of the rows has in the mean
constexpr double kVariation = 0.5;     // of the variation that a radius may have, what noise may give it
constexpr double kPaceError = 0.01;    // of a pace, by noise and by the other circles
constexpr double kOverRatio = 0.1;     // of paces, by which a ladder keeps clear of the least that is asked
constexpr size_t kRowsSetApart = 2;    // row 0 and the last
constexpr size_t kSpareRows = 8;       // others may stand out by chance
constexpr size_t kLeastRingRows = 64;  // of E4
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

/// Positions in each half.
double half_of(size_t rows) {
  return static_cast<double>((rows - kRowsSetApart) / 2);
}

/// Whether nothing else turns at nearly a circle's pace, in so many positions.
bool stands_alone(const Planted& planted, Eigen::Index circle, double positions) {
  const double turns = planted.paces(circle) * positions;
  const double change = planted.most_change() * planted.most_change();
  for (Eigen::Index other = 0; other < planted.paces.size(); ++other) {
    const double theirs = planted.paces(other) * positions;
    if (other != circle && theirs > turns / change - kApart && theirs < turns * change + kApart) return false;
  }
  return true;
}

/// Whether noise and drift leave circles what they are, and half of the rows has components enough for all.
bool are_circles(const Planted& planted) {
  using namespace circle_rule;
  const double change = std::exp(2 * kOfHalf * kMostDrifted * planted.drift);
  const double components = half_of(planted.settings.rows) / StepMotion::kRowsPerComponent;
  return change <= kMostPaceChange && planted.variation() <= kVariation * kMostVariation &&
         static_cast<double>(2 * planted.paces.size()) <= components;
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
  const Vector random = random_log_spreads(paces, spreads, ladder_rule::kNeighbourhood);
  const double error = std::sqrt(2) * std::sqrt(drift * drift + kPaceError * kPaceError);
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
  const auto paces = paces_found(planted, half_of(settings.rows));
  to_find.clocks =
      static_cast<double>(paces.size()) / static_cast<double>(planted.paces.size()) * planted.share() >= kShare;
  to_find.ladder = to_find.clocks && paces.size() == settings.circles && paces.size() >= ladder_rule::kLeastRungs &&
                   settings.ratio >= ladder_rule::kLeastMeanRatio + kOverRatio && is_even(paces, planted.drift);
  return to_find;
}

size_t slow_clocks(const PlantedTableSettings& settings) {
  const Vector paces = paces_of(PlantedTable::clocks, settings);
  const double turns_of_one = static_cast<double>(settings.rows);
  return static_cast<size_t>((paces.array() * turns_of_one < 2 * circle_rule::kLeastTurns).count());
}

}  // namespace summand::lab
