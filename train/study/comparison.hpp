#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/statistics/interval.hpp"
#include "train/study/study_plan.hpp"
#include "train/study/study_rows.hpp"
#include "train/study/verdict.hpp"

namespace summand::train {

/// A contrast with its numbers and its verdict.
struct Comparison {
  const Contrast* contrast = nullptr;
  std::vector<uint64_t> seeds;      ///< that both arms have
  std::vector<double> differences;  ///< of each seed; of excess as shares of the gap
  double mean = 0;
  double deviation = 0;    ///< of one difference
  lab::Interval interval;  ///< at 1 − level, of this contrast alone
  lab::Interval narrower;  ///< at 1 − 2·level, for equivalence
  Judgement judgement;
  bool unseen = false;  ///< inconclusive instead of equivalent: no damaged arm came out worse on this task
  /// By how much longer the arm trains for the loss of the other, as a share; negative if the other trains longer. The
  /// median over seeds, from the curves of single runs.
  std::optional<double> more_tokens = {};

  [[nodiscard]] bool is_of_losses() const { return contrast->is_of_losses(); }
  /// A difference as tables and figures show it: of losses in % of the gap, of a measure as it is.
  [[nodiscard]] double shown(double difference) const { return is_of_losses() ? 100 * difference : difference; }
  [[nodiscard]] std::string_view unit() const { return is_of_losses() ? " %" : ""; }
  /// The verdict's name; of a measure that is no loss, "larger" and "smaller" instead of "hurts" and "helps".
  [[nodiscard]] std::string_view verdict_word() const;
};

/// Every contrast of which two seeds or more are finished, in the plan's order.
/// @param plan  outlives the comparisons
[[nodiscard]] std::vector<Comparison> compare(const StudyPlan& plan, const std::vector<StudyRow>& rows);

/// The differences of the contrasts of a family, for simulate_studies().
[[nodiscard]] std::vector<Differences> differences_of(const std::vector<Comparison>& comparisons,
                                                      std::string_view family);

}  // namespace summand::train
