#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/calibrate/planting.hpp"
#include "lab/core/localize.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// A range that a parameter is drawn over.
struct Range {
  double low = 0;
  double high = 0;

  [[nodiscard]] double draw(RandomStream& stream) const { return low + (high - low) * stream.uniform(); }
  /// Every factor as likely. @pre low > 0
  [[nodiscard]] double draw_factor(RandomStream& stream) const { return low * std::pow(high / low, stream.uniform()); }
  /// A whole number, both ends among them.
  [[nodiscard]] size_t draw_whole(RandomStream& stream) const {
    return static_cast<size_t>(low) + stream.below(static_cast<size_t>(high - low) + 1);
  }
  /// For the places {low} and {high}.
  [[nodiscard]] FormatArgs args() const { return {{"low", low}, {"high", high}}; }
};

/// The planted tables' size, unless a family says another one.
inline constexpr size_t kPlantedRows = 192;
inline constexpr size_t kPlantedColumns = 48;

/// A family of position tables, each scaled and moved by one vector: neither is any claim's business.
[[nodiscard]] Planting planting_of_tables(std::string name, FormatArgs ranges, std::vector<PlantedTruth> truths,
                                          std::function<Table(RandomStream&)> draw);

/// Paces of circles, every factor as likely, drawn again until neighbours are so far apart that each is a line of its
/// own. @return [circles], slowest first
[[nodiscard]] Vector paces_apart(size_t circles, const Range& paces, RandomStream& stream);

}  // namespace summand::lab
