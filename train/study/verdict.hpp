#pragma once

#include <span>
#include <vector>

#include "model/enum_names.hpp"

namespace summand::train {

/// What a difference in excess between an arm and another says of the first.
enum class StudyVerdict { hurts, helps, equivalent, inconclusive };
[[nodiscard]] std::span<const model::EnumName<StudyVerdict>> enum_names(StudyVerdict);

/// The differences of a contrast, one for each seed, and the margin δ that was fixed for them.
struct Differences {
  std::vector<double> values;
  double margin = 0;
};

struct Judgement {
  double p_difference = 1;  ///< of a mean beyond ±δ, two-sided
  double p_equivalent = 1;  ///< of a mean within ±δ: two one-sided tests
  StudyVerdict verdict = StudyVerdict::inconclusive;
};

/// The verdicts of contrasts that belong together. Both kinds of p-values are adjusted for the number of contrasts by
/// Holm's method. A difference beyond δ hurts, beyond −δ it helps, if its p-value is at most the level; otherwise the
/// two arms are equivalent if that p-value is. Source: Student 1908; Schuirmann 1987; Holm 1979
[[nodiscard]] std::vector<Judgement> judge(std::span<const Differences> family, double level);

}  // namespace summand::train
