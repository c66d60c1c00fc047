#pragma once

#include <cstddef>

#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/nulls/beyond_kernel.hpp"

namespace summand::lab {

/// The three numbers by which a share is compared with what its lag kernel gives.
struct ShareNames {
  NumberName own;       ///< its null: Gaussian tables with the same kernel
  NumberName phases;    ///< of copies with joint random phases; their median
  NumberName sinusoid;  ///< the positive control, judged by the same rule
};

/// What their references are of.
struct ShareWords {
  LocalizedText of_sinusoid;         ///< the sinusoid's copies with joint random phases
  LocalizedText of_sinusoid_kernel;  ///< Gaussian tables with the sinusoid's kernel
  LocalizedText exact;               ///< where the share is 1
  FormatArgs phases;                 ///< of the phases' label
};

/// @param share  which of the shares
void add_share(const ShareNames& names, const ShareWords& words, const KernelComparisons& own,
               const KernelComparisons& sine, size_t share, const KernelDraws& draws, Numbers& numbers);

/// What add_share() has put there, as a rule reads it.
[[nodiscard]] KernelComparison own_share(const ShareNames& names, const Numbers& numbers);
[[nodiscard]] KernelComparison sinusoid_share(const ShareNames& names, const Numbers& numbers);

}  // namespace summand::lab
