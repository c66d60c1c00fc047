#include "lab/experiments/distance/short_sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/distance/split_ranges.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/ordinary_rows.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/nulls/same_kernel.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/principal_components.hpp"

namespace summand::lab {

namespace distance {
namespace {

using Eigen::Index;

constexpr Index kWindow = kShortSequence - 1;  // positions 1 … 127
// R² is near 1 on both sides, so that errors are compared. Of tables that are alike everywhere, smooth noise of length
// 12, the squared error beyond is 0.7 to 1.4 times that below, window by window.
constexpr double kBetter = 1.5;
constexpr double kWorks = 0.5;  // R² below which no regression is better or worse

constexpr NumberName kErrorRatio{"distance", "error_ratio"};
constexpr NumberName kBelow{"distance", "below"};
constexpr NumberName kBeyond{"distance", "beyond"};
constexpr NumberName kErrorBelow{"distance", "mae_below"};

/// What the texts say of the constants.
FormatArgs short_bars() {
  return {{"window", kWindow},
          {"short", kShortSequence},
          {"better", kBetter},
          {"works", kWorks},
          {"length", kSmoothLength}};
}

/// As many windows as fit; the first starts at position 1, the others from 128 on.
std::vector<Index> windows_of(Index rows, size_t at_most) {
  std::vector<Index> firsts{0};
  for (Index first = kWindow; first + kWindow <= rows && firsts.size() <= at_most; first += kWindow) {
    firsts.push_back(first);
  }
  return firsts;
}

/// One table below 128 and in every window from there on, split by split.
struct Sides {
  std::vector<Scores> below;   ///< [splits]
  std::vector<Scores> beyond;  ///< [windows · splits], window after window

  /// The squared error of every window from 128 on over that below, on the same split.
  [[nodiscard]] std::vector<double> error_ratios() const {
    std::vector<double> ratios;
    for (size_t i = 0; i < beyond.size(); ++i) {
      ratios.push_back(beyond[i].mse / std::max(1e-12, below[i % below.size()].mse));
    }
    return ratios;
  }
};

/// The same in several tables, their windows together.
std::vector<double> error_ratios(const std::vector<Sides>& tables) {
  std::vector<double> all;
  for (const auto& one : tables) {
    for (const double ratio : one.error_ratios()) all.push_back(ratio);
  }
  return all;
}

std::vector<Sides> sides_of(const std::vector<Table>& tables, const PairFit& like, const ShortSequenceSize& size,
                            const Conditions& conditions) {
  const auto firsts = windows_of(tables.front().rows(), size.windows);
  const size_t each = firsts.size() * size.splits;
  std::vector<Scores> all(tables.size() * each);
  run_tasks(conditions, all.size(), [&](size_t task) {
    const size_t i = task % each;
    PairFit fit = like;
    fit.name = fmt::format("short sequences {}", i % size.splits);
    all[task] = score_pairs(tables[task / each].middleRows(firsts[i / size.splits], kWindow), fit);
  });
  std::vector<Sides> sides(tables.size());
  for (size_t task = 0; task < all.size(); ++task) {
    auto& one = sides[task / each];
    (task % each < size.splits ? one.below : one.beyond).push_back(all[task]);
  }
  return sides;
}

/// Tables that are alike everywhere, with the inner products by distance that the table has.
std::vector<Table> same_kernel_tables(const Table& rows, const Conditions& conditions) {
  const PlacedRows ordinary = ordinary_rows(rows, kLeastPart, 1);
  // Rows that stand out are drawn as others are, at the ends too.
  Vector kernel = Vector::Zero(rows.rows());
  kernel.head(static_cast<Index>(ordinary.span())) = lag_kernel(ordinary);
  const StationaryProcess process(kernel);
  std::vector<Table> tables;
  for (size_t i = 0; i < short_sequence_size(conditions).draws; ++i) {
    RandomStream stream(conditions.seed, fmt::format("short sequences: {} {}", name_of(SameKernel::gaussian), i));
    tables.push_back(process.draw(static_cast<size_t>(rows.cols()), stream));
  }
  return tables;
}

struct WindowInputs {
  Interval ratio;
  double works = 0;  ///< R², the better of both sides
};

Observation evaluate_windows(const WindowInputs& one, double chance) {
  if (one.works < kWorks) return Observation::cannot_be_told;
  if (one.ratio.low >= kBetter && one.ratio.low > chance) return Observation::holds;
  return one.ratio.high < kBetter ? Observation::fails : Observation::cannot_be_told;
}

Verdict judge_short_sequences(const Numbers& numbers) {
  const std::string split = name_of(HeldOut::positions);
  const Number& below = numbers.at(kBelow.of(split));
  const Number& beyond = numbers.at(kBeyond.of(split));
  const Number& ratio = numbers.at(kErrorRatio.of(split));
  const double chance = ratio.null->interval->high;
  const WindowInputs own{*ratio.interval, std::max(below.value, beyond.value)};
  const WindowInputs control{*ratio.control->interval, std::max(below.control->value, beyond.control->value)};
  Verdict verdict;
  verdict.observation =
      observation_if(evaluate_windows(control, chance) == Observation::holds, evaluate_windows(own, chance));
  verdict.number = (own.works >= kWorks ? ratio : below.value > beyond.value ? below : beyond).name;
  verdict.inference = verdict.observation == Observation::fails ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = localize("distance.reasons.short_sequences", {{"window", kWindow},
                                                                 {"short", kShortSequence},
                                                                 {"below", below.value},
                                                                 {"beyond", beyond.value},
                                                                 {"ratio", ratio.value},
                                                                 {"low", own.ratio.low},
                                                                 {"high", own.ratio.high},
                                                                 {"chance_low", ratio.null->interval->low},
                                                                 {"chance", chance}});
  return verdict;
}

}  // namespace

ShortSequenceSize short_sequence_size(const Conditions& conditions) {
  return conditions.quick ? ShortSequenceSize{.windows = 3, .splits = 2, .draws = 3} : ShortSequenceSize{};
}

}  // namespace distance

std::optional<Numbers> short_sequence_numbers(const Table& rows, size_t components, const PairLimits& limits,
                                              const Conditions& conditions) {
  using namespace distance;
  if (rows.rows() < 2 * kWindow) return {};
  RandomStream stream(conditions.seed, "short sequences: Gaussian process");
  RandomStream order(conditions.seed, "short sequences: order");
  Table disordered = drawn_surrogate(Surrogate::gaussian_process, rows, stream);
  disordered.bottomRows(rows.rows() - kWindow) = row_shuffled(disordered.bottomRows(rows.rows() - kWindow), order);
  std::vector<Table> tables{rows, disordered};
  for (auto& drawn : same_kernel_tables(rows, conditions)) tables.push_back(std::move(drawn));
  for (auto& table : tables) table = principal_components(table, components).scores;
  const LocalizedText of_null = median_of_draws(words_of(SameKernel::gaussian), tables.size() - 2);
  const LocalizedText of_control = localize("distance.disordered", short_bars());
  Numbers numbers;
  for (const auto held_out : {HeldOut::positions, HeldOut::pairs}) {
    if (conditions.quick && held_out == HeldOut::pairs) continue;
    const PairFit fit{
        .method = PairMethod::trees, .held_out = held_out, .limits = limits, .seed = conditions.seed, .name = {}};
    const auto sides = sides_of(tables, fit, short_sequence_size(conditions), conditions);
    const std::vector<Sides> drawn(sides.begin() + 2, sides.end());
    FormatArgs args = short_bars();
    args.emplace_back("split", words_of(held_out));
    const auto ratios = sides[0].error_ratios();
    const auto disordered_ratios = sides[1].error_ratios();
    const auto drawn_ratios = error_ratios(drawn);
    numbers.add(NumberBuilder(kErrorRatio, name_of(held_out), median(ratios), args)
                    .interval(range_of(ratios))
                    .null(median(drawn_ratios), of_null, range_of(drawn_ratios))
                    .control(median(disordered_ratios), of_control, range_of(disordered_ratios)));
    const auto add = [&](const NumberName& name, std::vector<Scores> Sides::*side, double Scores::*measure) {
      std::vector<double> null;
      for (const auto& one : drawn) null.push_back(middle_of(one.*side, measure));
      numbers.add(NumberBuilder(name, name_of(held_out), middle_of(sides[0].*side, measure), args)
                      .null(median(null), of_null)
                      .control(middle_of(sides[1].*side, measure), of_control));
    };
    add(kBelow, &Sides::below, &Scores::r2);
    add(kBeyond, &Sides::beyond, &Scores::r2);
    add(kErrorBelow, &Sides::below, &Scores::mae);
  }
  return numbers;
}

Rule short_sequence_rule() {
  using namespace distance;
  return described_rule("distance", "E10", judge_short_sequences, short_bars());
}

}  // namespace summand::lab
