#pragma once

#include <cstddef>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/core/localize.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/verdict.hpp"
#include "lab/statistics/toeplitz.hpp"

namespace summand::lab::toeplitz {

/// The algebra of 4.5: P·H·Pᵀ of the sinusoid, with many random H of the three kinds that the document tells apart.
struct FormShares {
  std::vector<ToeplitzHankel> diagonal;     ///< [draws]
  std::vector<ToeplitzHankel> equal_pairs;  ///< [draws], the same diagonals, the second entry of a pair as its first
  std::vector<ToeplitzHankel> full;         ///< [draws], symmetric
};
[[nodiscard]] FormShares form_shares(const Conditions& conditions);

/// Of each of the four shares.
[[nodiscard]] ToeplitzHankel medians(const std::vector<ToeplitzHankel>& draws);

/// Adds m − n alone, m + n alone and neither, each with the middle 95 % of its draws.
void add_algebra(const FormShares& shares, Numbers& numbers);

/// Each number at the worse end of its draws' middle 95 %.
[[nodiscard]] Observation judge_algebra(const Numbers& numbers);

/// The name of the number that decides that.
[[nodiscard]] std::string deciding_algebra(const Numbers& numbers);

/// What the reason says of them.
[[nodiscard]] LocalizedText words_of_algebra(const Numbers& numbers);

/// What the texts say of the constants.
[[nodiscard]] FormatArgs algebra_settings();

}  // namespace summand::lab::toeplitz
