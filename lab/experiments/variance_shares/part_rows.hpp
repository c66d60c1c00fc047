#pragma once

#include <span>

#include "lab/probing/input_parts.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// The addends of some input vectors, row by row: sum = common + token + position + segment.
struct PartRows {
  Table common, token, position, segment;  ///< [items, hidden]

  [[nodiscard]] Table sum() const { return common + token + position + segment; }
};

[[nodiscard]] PartRows part_rows(const InputParts& parts, std::span<const SumItem> items);

/// The addends of the normalised vectors: each less the mean of its coordinates, divided by the sum's σ, times the
/// normalisation's weight. The weight's part of the normalisation is linear, so that they still add up; the bias never
/// varies and is left out.
[[nodiscard]] PartRows normalised(const PartRows& rows, const FirstNorm& norm);

/// Each addend's share of the variance over items, Cov(part, x)/Var(x), in every dimension.
struct DimensionShares {
  /// More than this of a dimension's variance, and the dimension is that part's.
  static constexpr double kDominant = 0.5;

  Vector common, token, position, segment;  ///< [hidden]; 0 where nothing varies
  Vector variance;                          ///< [hidden], of the sum

  /// Of all dimensions together.
  [[nodiscard]] double whole(const Vector& share) const;
  /// The fraction of dimensions in which a share dominates.
  [[nodiscard]] static double dominated(const Vector& share);
};

[[nodiscard]] DimensionShares dimension_shares(const PartRows& rows);
/// The same of some of the rows, which may repeat.
[[nodiscard]] DimensionShares dimension_shares(const PartRows& rows, std::span<const size_t> chosen);
/// Of all combinations of token, position and segment, each as likely: exact, from the tables.
[[nodiscard]] DimensionShares uniform_shares(const InputParts& parts);

}  // namespace summand::lab
