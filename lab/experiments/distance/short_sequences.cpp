#include "lab/experiments/distance/short_sequences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr Index kWindow = kShortSequence - 1;  // positions 1 … 127
constexpr size_t kMostWindows = 3;
constexpr size_t kSplits = 3;
constexpr double kBetter = 0.05;  // in R²
constexpr double kWorks = 0.5;    // R² below which no regression is better or worse

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
  const double gain = numbers.value("gain_positions");
  const bool told_apart =
      std::abs(numbers.null("gain_positions")) < kBetter && numbers.control("gain_positions") >= kBetter;
  Verdict verdict;
  const bool works = std::max(numbers.value("below_positions"), numbers.value("beyond_positions")) >= kWorks;
  if (!told_apart || !works) {
    verdict.observation = Observation::cannot_be_told;
  } else if (gain >= kBetter) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = gain <= -kBetter ? Observation::fails : Observation::cannot_be_told;
  }
  const bool better = verdict.observation == Observation::holds;
  verdict.inference = better ? Inference::not_tested : Inference::does_not_follow;
  verdict.reason = {
      fmt::format("with positions held out R² is {:.3f} among positions 1 to 127 and {:.3f} among as many from 128 on; "
                  "of a Gaussian process {:+.3f} between the two",
                  numbers.value("below_positions"), numbers.value("beyond_positions"), numbers.null("gain_positions")),
      fmt::format("留出位置时，位置 1–127 的 R² 为 {:.3f}，128 起同样多的位置为 {:.3f}；高斯过程两者相差 {:+.3f}",
                  numbers.value("below_positions"), numbers.value("beyond_positions"), numbers.null("gain_positions"))};
  return verdict;
}

}  // namespace

std::optional<Numbers> short_sequence_numbers(const Table& rows, size_t components, const PairLimits& limits,
                                              const Conditions& conditions) {
  if (rows.rows() < 2 * kWindow) return {};
  RandomStream stream(conditions.seed, "short sequences: Gaussian process");
  RandomStream order(conditions.seed, "short sequences: order");
  const Table smooth = drawn_surrogate(Surrogate::gaussian_process, rows, stream);
  Table disordered = smooth;
  disordered.bottomRows(rows.rows() - kWindow) = row_shuffled(smooth.bottomRows(rows.rows() - kWindow), order);
  const auto scores_of = [&](const Table& table) { return principal_components(table, components).scores; };
  const std::array inputs{scores_of(rows), scores_of(smooth), scores_of(disordered)};
  const size_t splits = conditions.quick ? 1 : kSplits;
  const Words of_null{"Gaussian process of length 12, alike everywhere", "长度 12 的高斯过程，各处相同"};
  const Words of_control{"the same, positions from 128 on in random order", "同上，自位置 128 起打乱次序"};
  Numbers numbers;
  for (const auto held_out : {HeldOut::positions, HeldOut::pairs}) {
    if (conditions.quick && held_out == HeldOut::pairs) continue;
    const PairFit fit{
        .method = PairMethod::trees, .held_out = held_out, .limits = limits, .seed = conditions.seed, .name = {}};
    std::array<Sides, 3> sides;
    for (size_t i = 0; i < sides.size(); ++i) sides[i] = sides_of(inputs[i], fit, splits, conditions);
    const auto add = [&](const std::string& name, const Words& label, const auto& of) {
      const Words how = words_of(held_out);
      numbers.add(
          Measured(name + "_" + name_of(held_out), {label.en + ", " + how.en, label.zh + "，" + how.zh}, of(sides[0]))
              .null(of(sides[1]), of_null)
              .control(of(sides[2]), of_control));
    };
    add("below", {"R² of trees among positions 1 to 127", "位置 1–127 中树的 R²"},
        [](const Sides& one) { return one.below; });
    add("beyond", {"R² among as many positions from 128 on", "128 起同样多位置的 R²"},
        [](const Sides& one) { return one.beyond; });
    add("gain", {"the first less the second", "前者减后者"}, [](const Sides& one) { return one.gain(); });
    add("mae_below", {"mean absolute error among positions 1 to 127", "位置 1–127 中的平均绝对误差"},
        [](const Sides& one) { return one.mae_below; });
  }
  return numbers;
}

Rule short_sequence_rule() {
  return {
      .claim = "E10",
      .observation = {"holds if with positions held out the trees' R² among positions 1 to 127 is .05 above that "
                      "among windows of 127 positions from 128 on (medians); fails if .05 below; otherwise, or if "
                      "neither reaches .5, a Gaussian process differs by .05 or a random order planted from 128 on "
                      "does not, it cannot be told",
                      "留出位置时，位置 1–127 中树的 R² 比 128 起 127 个位置的各窗口（中位数）高 .05 则成立；低 .05 "
                      "则不成立；其余情形，或两者都不足 .5、高斯过程相差 .05、自 128 起打乱次序却不相差时，无法判断"},
      .inference = {"that padding is what disturbs does not follow where the regression is no better below 128; "
                    "where it is, it was not tested: a schedule that trains long sequences last would do the same",
                    "若 128 以内并不更好，则“[PAD] 造成干扰”推不出；若更好则未检验：最后才训练长序列的日程也会如此"},
      .judge = judge_short_sequences};
}

}  // namespace summand::lab
