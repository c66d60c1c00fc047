#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/random_stream.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/statistics/table.hpp"
#include "model/enum_names.hpp"

namespace summand::lab {

/// Position tables with a known truth. Those that say nothing of their size have entries of mean square 1.
enum class PlantedTable {
  white,                    ///< independent numbers
  walk,                     ///< every row is the one above plus white noise
  smooth,                   ///< independent columns, stationary and smooth
  sinusoid,                 ///< Vaswani et al. 2017: entries from -1 to 1
  equal_frequencies,        ///< waves of equal energy, in planes of their own: a step is one rotation, exactly
  ring,                     ///< one circle, walked at one pace, and white noise
  clocks,                   ///< circles whose paces are a geometric ladder, each drifting slowly, and white noise
  band,                     ///< independent columns of noise that has no frequencies but those of a band
  initialisation,           ///< N(0, 0.02), cut at two sigmas: what BERT's table starts from
  initialisation_long_row,  ///< the same, row 0 ten times as long
  kernel_matched,           ///< independent Gaussian columns with another table's lag kernel: StationaryProcess
  joint_phases,             ///< another table, all its columns turned by the same random phases: Phases::common
};
[[nodiscard]] std::span<const model::EnumName<PlantedTable>> enum_names(PlantedTable);

/// Whether it is made of another table: of its rows from the first to the last whose norm does not stand out, less
/// their mean, those between that do stand out put at the mean.
[[nodiscard]] bool needs_source(PlantedTable kind);

/// What a planted table is drawn with. A kind reads what its line names, and nothing else.
struct PlantedTableSettings {
  size_t rows = 512;  ///< those that are made of another table have that one's
  size_t columns = 384;
  double length = 12;       ///< smooth: of its covariance exp(−lag² / (2·length²)), in rows
  double base = 10000;      ///< sinusoid
  size_t frequencies = 32;  ///< equal_frequencies
  double turns = 90;        ///< ring: over all rows
  size_t circles = 5;       ///< clocks: the fastest turns by 60° a row
  double ratio = 3;         ///< clocks: of one pace to the next
  double drift = 0.05;      ///< clocks: standard deviation of the logarithm of a pace along the rows
  double noise = 0.1;       ///< ring, clocks: standard deviation of the white noise beside entries of mean square 1
  double low = 10;          ///< band: cycles over all rows
  double high = 17;         ///< band
  const Table* source = nullptr;  ///< kernel_matched, joint_phases: [rows, columns]
};

/// Of a ring, or of clocks: in cycles a row, slowest first. @pre one of these two kinds
[[nodiscard]] Vector paces_of(PlantedTable kind, const PlantedTableSettings& settings);

/// What the logarithm of a pace is at most away from its mean along the rows, in standard deviations of it: a drift is
/// a sum of four sinusoids of mean square 1 all together.
inline constexpr double kMostDrifted = 2.83;

/// What settings a kind cannot be drawn with.
/// @throws UsageError "[--name] expected …, got …", the option named as `summand lab plant` has it
void require_plantable(PlantedTable kind, const PlantedTableSettings& settings);

/// One draw; all that is random in it comes from the stream.
/// @return [rows, columns], row 0 is position 0; of what is made of another table those rows of it alone
/// @throws UsageError as require_plantable()
[[nodiscard]] Table planted_table(PlantedTable kind, const PlantedTableSettings& settings, RandomStream& stream);

/// Circles in planes at right angles to each other, each turned at its own pace from a random start.
struct PlantedCircles {
  Vector paces;                      ///< cycles a row
  Vector radii;                      ///< relative to each other, one for each pace
  std::optional<double> drift = {};  ///< standard deviation of the logarithm of a pace along the rows
};

/// Where each row lies in the planes. @return [rows, 2 · circles], rows of norm 1
[[nodiscard]] Table places_on(const PlantedCircles& circles, size_t rows, RandomStream& stream);

/// In planes at random. @return [shape], entries of mean square 1 @pre two columns or more for each circle
[[nodiscard]] Table planted_circles(const PlantedCircles& circles, Shape shape, RandomStream& stream);

}  // namespace summand::lab
