#pragma once

#include <cstddef>
#include <optional>

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace toeplitz {
/// How much of P·H·Pᵀ, with the model's own H, is a function of m − n alone.
inline constexpr NumberName kMeasuredToeplitz{"toeplitz", "measured_toeplitz"};
}  // namespace toeplitz

/// P·H·Pᵀ with the model's own H between two tokens of a text, along the first components of P.
struct MeasuredShares {
  ToeplitzHankel own;
  ToeplitzHankel walk;   ///< a random walk in the place of the components, with the same H
  double one_sided = 0;  ///< share of the energy that changes its sign when m and n are exchanged
  double one_sided_walk = 0;
  double variance = 0;  ///< of the table, that the components hold
  size_t components = 0;
};

/// @param table  position rows, without those that stand out
/// @return nothing where there is no sum to derive by, or no text
[[nodiscard]] std::optional<MeasuredShares> measured_shares(const Subject& subject, const Table& table,
                                                            const Conditions& conditions);

/// Adds them to claim 4.5, what they are of, and what a quick run left out. @param control  of a sinusoid
void add_measured(const MeasuredShares& measured, const ToeplitzHankel& control, const Subject& subject,
                  const Conditions& conditions, Findings& findings);

}  // namespace summand::lab
