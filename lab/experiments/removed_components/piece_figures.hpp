#pragma once

#include <cstddef>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/core/words.hpp"

namespace summand::lab {

/// What removing one piece of the position table changes.
struct PieceChange {
  Words words;        ///< of a band
  double share = 0;   ///< of the table's variance
  double change = 0;  ///< of sentence vectors, over what removing all changes
};

/// How much some components keep.
struct KeptPoint {
  Words of;  ///< whose table
  size_t components = 0;
  double kept = 0;
};

[[nodiscard]] Figure components_figure(const std::vector<PieceChange>& components);
[[nodiscard]] Figure bands_figure(const std::vector<PieceChange>& bands);
/// @param enough  where keeping counts as keeping
[[nodiscard]] Figure kept_figure(const std::vector<KeptPoint>& points, double enough);

}  // namespace summand::lab
