#pragma once

#include <cstddef>

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"

// What several files of the experiment name or draw.
namespace summand::lab::subspaces {

inline constexpr NumberName kShareInside{"subspaces", "share_inside"};
inline constexpr NumberName kShareWithoutRow0{"subspaces", "share_inside_without_row_0"};
inline constexpr NumberName kShareOrdinary{"subspaces", "share_inside_ordinary_rows"};
inline constexpr NumberName kShareBesideTokens{"subspaces", "share_beside_token_pairs"};
inline constexpr NumberName kP{"subspaces", "p"};
inline constexpr NumberName kOverlap{"subspaces", "overlap"};
inline constexpr NumberName kOverlapWithoutRow0{"subspaces", "overlap_without_row_0"};
inline constexpr NumberName kOverlapOrdinary{"subspaces", "overlap_ordinary_rows"};
inline constexpr NumberName kCoordinateSparsity{"subspaces", "coordinate_sparsity"};
inline constexpr NumberName kCoordinatesOfHalf{"subspaces", "coordinates_of_half"};
inline constexpr NumberName kLost{"subspaces", "lost"};
inline constexpr NumberName kLostOrdinary{"subspaces", "lost_ordinary"};
inline constexpr NumberName kLostRaw{"subspaces", "lost_raw"};
inline constexpr NumberName kLostOfRows{"subspaces", "lost_of_rows"};
inline constexpr NumberName kSparsitySum{"subspaces", "sparsity_sum"};
inline constexpr NumberName kSparsityConcatenation{"subspaces", "sparsity_concatenation"};

/// Of the position table: how many directions stand for it.
inline constexpr size_t kSharedComponents = 16;

/// How much is drawn.
struct Size {
  size_t rotations = 1000;
  size_t tokens = 4000;  ///< of the corpus, in whole texts, whose sparsity is measured
  size_t resamplings = 1000;
};
inline constexpr Size kFull{};
inline constexpr Size kQuick{.rotations = 100, .tokens = 2000, .resamplings = 200};

[[nodiscard]] inline Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

}  // namespace summand::lab::subspaces
