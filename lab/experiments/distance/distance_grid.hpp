#pragma once

#include <array>
#include <compare>
#include <map>
#include <string>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/experiments/distance/pair_fits.hpp"
#include "lab/statistics/scores.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

// E8, E9: all fits to distances, of the table and of its references.

/// As many as document 002 counts.
inline constexpr size_t kDistanceComponents = 18;
inline constexpr std::array kDistanceSplits{HeldOut::pairs, HeldOut::positions, HeldOut::block};
/// E8's: with pairs held out a network remembers the positions of white noise (R² .75), which then is no control.
inline constexpr HeldOut kNetworkSplit = HeldOut::positions;

/// What is fitted: 18 components, or the table as it is.
enum class Inputs { components, raw };

/// One fit.
struct Cell {
  std::string of;  ///< "table", or a name of kSurrogates, or "sinusoid", "planted", distance::noise_name()
  Inputs inputs = Inputs::components;
  PairMethod method = PairMethod::linear;
  HeldOut held_out = HeldOut::pairs;
  size_t split = 0;  ///< which of several random ones

  auto operator<=>(const Cell&) const = default;
};

using Grid = std::map<Cell, Scores>;

namespace distance {

/// White noise drawn once more: of split i it is draw i. Draw 0 is "white_noise".
[[nodiscard]] std::string noise_name(size_t draw);

/// On how many random splits what decides is fitted.
struct Splits {
  size_t networks = 5;
  size_t regressions = 5;
  size_t raw = 3;  ///< trees on the raw table, which are dear
};
[[nodiscard]] Splits splits_of(const Conditions& conditions);

/// A cell on each of its splits; of white noise each on a draw of its own.
[[nodiscard]] std::vector<Scores> over_splits(const Grid& grid, const Cell& cell, size_t splits);

}  // namespace distance

/// The table and its references, by name.
class DistanceTables {
 public:
  /// @param rows  the table without row 0, which the others lack too
  DistanceTables(const Table& rows, const Conditions& conditions);

  [[nodiscard]] const Table& at(const std::string& of, Inputs inputs) const;

 private:
  void add(const std::string& of, Table table);

  std::map<std::string, Table> raw_;
  std::map<std::string, Table> components_;
};

/// Of a column of the raw table, for trees.
inline constexpr int kRawTreeBins = 64;

/// What a fit may see: trees on the raw table sort its columns into 64 bins at most, which is no worse (MiniLM: squared
/// error 16.8, with 256 bins 17.2) in less than half of the time.
[[nodiscard]] PairLimits limits_of(const Cell& cell, const PairLimits& limits);

/// Every cell of the table has one of white noise and one of a Gaussian process; networks on the split of E8 have a
/// sinusoid's too, regressions with pairs held out a planted table's.
[[nodiscard]] Grid fitted(const DistanceTables& tables, const PairLimits& limits, const Conditions& conditions);

}  // namespace summand::lab
