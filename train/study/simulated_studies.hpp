#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "train/study/verdict.hpp"

namespace summand::train {

/// Verdicts of studies whose true difference is known, counted over studies.
struct SimulatedStudies {
  size_t studies = 0;
  size_t differing_at_zero = 0;     ///< with a contrast that hurts or helps, though no arm differs
  size_t equivalent_at_margin = 0;  ///< with one that is equivalent, though every arm differs by δ
  size_t differing_at_margin = 0;   ///< with one that hurts or helps, though no arm differs by more than δ
  double found_equivalent = 0;      ///< share of the contrasts that are equivalent where no arm differs
  double found_hurts = 0;           ///< share of the contrasts that hurt where every arm differs by 2·δ
};

/// Studies of the same contrasts whose differences are drawn from the residuals of these, with replacement.
/// @param family  each of two differences or more
[[nodiscard]] SimulatedStudies simulate_studies(std::span<const Differences> family, double level, size_t studies,
                                                uint64_t seed);

}  // namespace summand::train
