#pragma once

#include <cstddef>
#include <optional>

#include "lab/core/experiment.hpp"
#include "lab/nulls/beyond_kernel.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/interval.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/toeplitz.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::toeplitz {

/// The model's own H is taken in so many texts.
inline constexpr size_t kTexts = 12;
/// Fewer make no interval that a verdict could rest on, and it is not taken.
inline constexpr size_t kLeastTexts = 6;
/// Along so many components of the table, if they hold so much of its variance.
inline constexpr size_t kComponents = 16;
inline constexpr double kLeastVariance = 0.9;
/// Gaussian tables to compare it with.
inline constexpr size_t kDraws = 11;

/// A share of some rows under the model's own H.
struct MeasuredShare {
  double own = 0;
  Interval interval;   ///< over texts and functions
  Estimate gaussians;  ///< of Gaussian tables with a lag kernel of that kind, under the same H
};

struct UnderOwnForms {
  MeasuredShare by_distance;  ///< what n − m alone tells of (p(m) − p(n))ᵀ·H·(p(m) − p(n))
  MeasuredShare one_sided;    ///< of the energy, what changes its sign when m and n are exchanged
};

/// What is measured with H between two tokens of a text, along the first components of the table.
struct MeasuredShares {
  UnderOwnForms table;      ///< beside Gaussian tables with its lag kernel, their components in the place of its own
  UnderOwnForms plain;      ///< of a sinusoid, its components in their place, beside the same
  UnderOwnForms laid;       ///< of a sinusoid in the axes that H has in the other texts, beside Gaussian waves in them
  ToeplitzHankel own;       ///< of P·H·Pᵀ off its diagonal
  ToeplitzHankel gaussian;  ///< the same of the first of those Gaussian tables
  double variance = 0;      ///< of the table, that the components hold
  size_t components = 0;
  size_t texts = 0;
};

/// Whether there is a model to take H from.
[[nodiscard]] bool has_own_forms(const Subject& subject);

/// @param rows  without those that stand out
/// @param fit   of their positions
/// @return nothing in a quick run, with too few texts, with too little of the variance, or where tokens do not interact
/// @pre has_own_forms()
[[nodiscard]] std::optional<MeasuredShares> measured_shares(const Subject& subject, const PlacedRows& rows,
                                                            const ToeplitzHankelFit& fit, const Conditions& conditions);

}  // namespace summand::lab::toeplitz
