#pragma once

#include <array>
#include <compare>
#include <map>
#include <string>

#include "lab/core/experiment.hpp"
#include "lab/experiments/distance/pair_fits.hpp"
#include "lab/statistics/scores.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

// E8, E9: everything that is fitted to distances, of the table and of what stands beside it.

/// As many as document 002 counts.
inline constexpr size_t kDistanceComponents = 18;
inline constexpr std::array kDistanceSplits{HeldOut::pairs, HeldOut::positions, HeldOut::block};
/// E8's: with pairs held out a network remembers the positions of white noise (R² .75), which then is no control.
inline constexpr HeldOut kNetworkSplit = HeldOut::positions;

/// What is fitted: 18 components, or the table as it is.
enum class Inputs { components, raw };

/// One fit.
struct Cell {
  std::string of;  ///< "table", or a name of kSurrogates, or "sinusoid"
  Inputs inputs = Inputs::components;
  PairMethod method = PairMethod::linear;
  HeldOut held_out = HeldOut::pairs;

  auto operator<=>(const Cell&) const = default;
};

using Grid = std::map<Cell, Scores>;

/// The table and those beside it, by name.
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

/// What a fit may see: what stands beside trees on the raw table sorts its columns into 64 bins at most, which is 10 s
/// for 20,000 pairs instead of 25.
[[nodiscard]] PairLimits limits_of(const Cell& cell, const PairLimits& limits);

/// Every cell of the table has one of white noise and one of a Gaussian process; networks on the split of E8 have a
/// sinusoid's too.
[[nodiscard]] Grid fitted(const DistanceTables& tables, const PairLimits& limits, const Conditions& conditions);

}  // namespace summand::lab
