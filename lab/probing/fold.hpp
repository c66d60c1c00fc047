#pragma once

#include <span>

#include "base/random_stream.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// A concatenation with a linear map behind it, A[t; p; s] = A_t·t + A_p·p + A_s·s: the sum of three other tables.
struct Projection {
  Table token, position, segment;  ///< [hidden, hidden] each

  /// Independent normal entries of variance 1/hidden.
  [[nodiscard]] static Projection drawn(Eigen::Index hidden, RandomStream& stream);
  /// Three identities: the concatenation that is the plain sum.
  [[nodiscard]] static Projection identity(Eigen::Index hidden);
};

/// The largest difference, over these combinations and all coordinates, between concatenating and projecting by one
/// map, and adding the rows of three tables folded by another; beside the root mean square of a coordinate. Both in
/// single precision, by the compositions that models use; tables are folded in double and rounded once.
/// @param folded_by  the same map: a fold, equal to rounding; another: not
[[nodiscard]] double fold_difference(const Subject& subject, std::span<const SumItem> items, const Projection& map,
                                     const Projection& folded_by);

/// What a fold may differ by: the bound of sums of 3 · 1,024 products in single precision, 3 · 1024 · 2^-24.
inline constexpr double kFoldRounding = 2e-4;

}  // namespace summand::lab
