#pragma once

#include <cstddef>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/core/localized_text.hpp"

namespace summand::lab {

/// What removing one component changes.
struct PieceChange {
  double share = 0;   ///< of the rows' variance
  double change = 0;  ///< of sentence vectors, over what removing all changes
};

/// What removing a band of periods changes, over what removing all changes.
struct BandChange {
  LocalizedText words;
  double share = 0;          ///< of the table's variance
  double change = 0;         ///< row 0 and the rows that stand out kept
  double change_of_all = 0;  ///< of all rows
};

/// How much some components keep.
struct KeptPoint {
  LocalizedText of;  ///< whose table
  size_t components = 0;
  double kept = 0;
};

[[nodiscard]] Figure components_figure(const std::vector<PieceChange>& components);
[[nodiscard]] Figure bands_figure(const std::vector<BandChange>& bands);
/// @param enough  where keeping counts as keeping
[[nodiscard]] Figure kept_figure(const std::vector<KeptPoint>& points, double enough);

}  // namespace summand::lab
