#pragma once

#include <cstddef>
#include <optional>

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/statistics/interval.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace toeplitz {
/// How much of (p(m) − p(n))ᵀ·H·(p(m) − p(n)), with the model's own H, n − m alone tells.
inline constexpr NumberName kMeasured{"toeplitz", "measured_by_distance"};
/// In how many texts H was taken.
inline constexpr NumberName kMeasuredTexts{"toeplitz", "measured_texts"};
/// Fewer texts make no interval that a verdict could rest on.
inline constexpr size_t kLeastTexts = 6;
}  // namespace toeplitz

/// One number of the table, and of Gaussian tables with its lag kernel, their components in the place of its own.
struct MeasuredShare {
  double own = 0;
  Interval interval;  ///< over texts and functions
  double gaussian = 0;
  Interval gaussians;
};

/// P·H·Pᵀ with the model's own H between two tokens of a text, along the first components of P.
struct MeasuredShares {
  MeasuredShare by_distance;
  MeasuredShare one_sided;  ///< share of the energy that changes its sign when m and n are exchanged
  ToeplitzHankel own;       ///< of P·H·Pᵀ off its diagonal
  ToeplitzHankel gaussian;  ///< the same of the first of those Gaussian tables
  double variance = 0;      ///< of the table, that the components hold
  size_t components = 0;
  size_t texts = 0;
  size_t draws = 0;
};

/// @param rows  without those that stand out
/// @param fit   of their positions
/// @return nothing where there is no sum to derive by, or no text
[[nodiscard]] std::optional<MeasuredShares> measured_shares(const Subject& subject, const PlacedRows& rows,
                                                            const ToeplitzHankelFit& fit, const Conditions& conditions);

/// Adds them to claim 4.5, what they are of, and what a quick run left out.
void add_measured(const MeasuredShares& measured, const Subject& subject, const Conditions& conditions,
                  Findings& findings);

}  // namespace summand::lab
