#include "lab/experiments/distance/short_sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"

namespace summand::lab {

namespace distance {
namespace {

using Eigen::Index;

constexpr Index kWindow = kShortSequence - 1;  // positions 1 … 127
constexpr size_t kMostWindows = 3;
constexpr size_t kSplits = 3;
constexpr double kBetter = 0.05;  // in R²
constexpr double kWorks = 0.5;    // R² below which no regression is better or worse

constexpr NumberName kBelow{"distance", "below"};
constexpr NumberName kBeyond{"distance", "beyond"};
constexpr NumberName kGain{"distance", "gain"};
constexpr NumberName kErrorBelow{"distance", "mae_below"};

/// What the texts say of the constants.
Fills short_bars() {
  return {{"window", kWindow},
          {"short", kShortSequence},
          {"better", kBetter},
          {"works", kWorks},
          {"length", kSmoothLength}};
}

/// R² below 128 and from there on, the medians over splits and windows.
struct Sides {
  double below = 0;
  double beyond = 0;
  double mae_below = 0;
  [[nodiscard]] double gain() const { return below - beyond; }
};

/// As many windows as fit; the first starts at position 1, the others from 128 on.
std::vector<Index> windows_of(Index rows, size_t at_most) {
  std::vector<Index> firsts{0};
  for (Index first = kWindow; first + kWindow <= rows && firsts.size() <= at_most; first += kWindow) {
    firsts.push_back(first);
  }
  return firsts;
}

Sides sides_of(const Table& scores, const PairFit& like, size_t splits, const Conditions& conditions) {
  const auto firsts = windows_of(scores.rows(), conditions.quick ? 1 : kMostWindows);
  std::vector<Scores> all(firsts.size() * splits);
  run_tasks(conditions, all.size(), [&](size_t i) {
    PairFit fit = like;
    fit.name = fmt::format("short sequences {}", i % splits);
    all[i] = score_pairs(scores.middleRows(firsts[i / splits], kWindow), fit);
  });
  std::vector<double> below;
  std::vector<double> beyond;
  std::vector<double> errors;
  for (size_t i = 0; i < all.size(); ++i) {
    (i < splits ? below : beyond).push_back(all[i].r2);
    if (i < splits) errors.push_back(all[i].mae);
  }
  return {median(below), median(beyond), median(errors)};
}

Verdict judge_short_sequences(const Numbers& numbers) {
  const std::string split = name_of(HeldOut::positions);
  const double below = numbers.value(kBelow.of(split));
  const double beyond = numbers.value(kBeyond.of(split));
  const double gain = numbers.value(kGain.of(split));
  const double smooth = numbers.null(kGain.of(split));
  const bool told_apart = std::abs(smooth) < kBetter && numbers.control(kGain.of(split)) >= kBetter;
  Verdict verdict;
  const bool works = std::max(below, beyond) >= kWorks;
  if (!told_apart || !works) {
    verdict.observation = Observation::cannot_be_told;
  } else if (gain >= kBetter) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = gain <= -kBetter ? Observation::fails : Observation::cannot_be_told;
  }
  const bool better = verdict.observation == Observation::holds;
  verdict.inference = better ? Inference::not_tested : Inference::does_not_follow;
  verdict.reason = wording(
      "distance.reasons.short_sequences",
      {{"window", kWindow}, {"short", kShortSequence}, {"below", below}, {"beyond", beyond}, {"smooth", smooth}});
  return verdict;
}

}  // namespace
}  // namespace distance

std::optional<Numbers> short_sequence_numbers(const Table& rows, size_t components, const PairLimits& limits,
                                              const Conditions& conditions) {
  using namespace distance;
  if (rows.rows() < 2 * kWindow) return {};
  RandomStream stream(conditions.seed, "short sequences: Gaussian process");
  RandomStream order(conditions.seed, "short sequences: order");
  const Table smooth = drawn_surrogate(Surrogate::gaussian_process, rows, stream);
  Table disordered = smooth;
  disordered.bottomRows(rows.rows() - kWindow) = row_shuffled(smooth.bottomRows(rows.rows() - kWindow), order);
  const auto scores_of = [&](const Table& table) { return principal_components(table, components).scores; };
  const std::array inputs{scores_of(rows), scores_of(smooth), scores_of(disordered)};
  const size_t splits = conditions.quick ? 1 : kSplits;
  const Words of_null = wording("distance.smooth", short_bars());
  const Words of_control = wording("distance.disordered", short_bars());
  Numbers numbers;
  for (const auto held_out : {HeldOut::positions, HeldOut::pairs}) {
    if (conditions.quick && held_out == HeldOut::pairs) continue;
    const PairFit fit{
        .method = PairMethod::trees, .held_out = held_out, .limits = limits, .seed = conditions.seed, .name = {}};
    std::array<Sides, 3> sides;
    for (size_t i = 0; i < sides.size(); ++i) sides[i] = sides_of(inputs[i], fit, splits, conditions);
    Fills fills = short_bars();
    fills.emplace_back("split", words_of(held_out));
    const auto add = [&](const NumberName& name, const auto& of) {
      numbers.add(Measured(name, name_of(held_out), of(sides[0]), fills)
                      .null(of(sides[1]), of_null)
                      .control(of(sides[2]), of_control));
    };
    add(kBelow, [](const Sides& one) { return one.below; });
    add(kBeyond, [](const Sides& one) { return one.beyond; });
    add(kGain, [](const Sides& one) { return one.gain(); });
    add(kErrorBelow, [](const Sides& one) { return one.mae_below; });
  }
  return numbers;
}

Rule short_sequence_rule() {
  using namespace distance;
  return described_rule("distance", "E10", judge_short_sequences, short_bars());
}

}  // namespace summand::lab
