#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

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
  std::array<double, 4> own{};              ///< in that order: each part's own variance, all
                                            ///< dimensions together

  /// Of all dimensions together.
  [[nodiscard]] double whole(const Vector& share) const;
  /// The share of the whole variance that lies in dimensions which a part dominates.
  [[nodiscard]] double dominated(const Vector& share) const;
  /// The fraction of dimensions which a part dominates.
  [[nodiscard]] static double dominated_dimensions(const Vector& share);
  /// The share of the tokens' variance that lies in dimensions which positions dominate.
  [[nodiscard]] double tokens_where_dominated() const;
  /// The dimension of the largest variance.
  [[nodiscard]] Eigen::Index largest() const;
};

/// Sums over each text's rows, of which the shares of any texts together are made.
class TextMoments {
 public:
  /// @param texts  [texts + 1], where each begins among the rows, and the end
  TextMoments(const PartRows& rows, std::span<const size_t> texts);

  [[nodiscard]] size_t texts() const { return texts_.size(); }
  [[nodiscard]] DimensionShares shares() const;
  /// Of some of the texts, which may repeat.
  [[nodiscard]] DimensionShares shares(std::span<const size_t> chosen) const;

 private:
  struct Sums {
    double count = 0;
    std::array<Vector, 4> part, with_sum,
        square;  // [hidden] each: of the part, times the sum, times itself
  };
  std::vector<Sums> texts_;
  Eigen::Index hidden_ = 0;
};

[[nodiscard]] DimensionShares dimension_shares(const PartRows& rows);
/// Of all combinations of token, position and segment, each as likely: exact, from the tables.
[[nodiscard]] DimensionShares uniform_shares(const InputParts& parts);

}  // namespace summand::lab
