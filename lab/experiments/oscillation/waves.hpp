#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lab/statistics/interval.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// A wave is followed over so many of its cycles: one alone is any bump, two repeat. A fast wave whose pace drifts, and
/// a slow one that makes no more cycles over all positions, are asked for the same.
inline constexpr double kCyclesAtATime = 2;

/// Components from … to − 1, counted from 0.
struct ComponentRange {
  Eigen::Index from = 0;
  Eigen::Index to = 0;
};

/// What sinusoids explain of the first principal components of a table of positions, two cycles at a time.
///
/// Of each component the frequency of the sinusoid that explains most of it, from a quarter of a cycle over all
/// positions to half a cycle a position; the positions cut into equal stretches of about two of its cycles, one or
/// more; in each stretch the least-squares sinusoid of that frequency, one offset for all of them. What is left is
/// counted for the parameters: of white noise 0 is explained on average.
class ComponentWaves {
 public:
  /// @param most  components; fewer where the rows have a smaller rank
  /// @throws UsageError with fewer than two rows, or rows that are all equal
  ComponentWaves(const PlacedRows& rows, size_t most);

  [[nodiscard]] Eigen::Index components() const { return scores_.cols(); }
  [[nodiscard]] const Table& scores() const { return scores_; }            ///< [kept, components]
  [[nodiscard]] const Table& waves() const { return waves_; }              ///< [kept, components], the sinusoids
  [[nodiscard]] const Vector& turns() const { return turns_; }             ///< [components], over all positions
  [[nodiscard]] const std::vector<size_t>& places() const { return at_; }  ///< [kept]

  /// The share of these components' variance that the sinusoids explain; 0 if there is none of them.
  [[nodiscard]] double explained(const ComponentRange& range) const;
  /// The same of some rows alone, which may repeat.
  [[nodiscard]] double explained(const ComponentRange& range, std::span<const size_t> rows) const;
  /// Where it lies when blocks of so many neighbouring rows are drawn anew, components and sinusoids as they are.
  [[nodiscard]] Interval interval(const ComponentRange& range, size_t block, const Draws& draws) const;
  /// What one sinusoid each, of one frequency over all positions, explains of them.
  [[nodiscard]] double explained_by_one(const ComponentRange& range) const;
  /// What curves that only rise or only fall explain of them, each component by itself (isotonic regression): such a
  /// curve oscillates no more than a straight line does.
  [[nodiscard]] double explained_one_way(const ComponentRange& range) const;
  /// How many of them make two cycles or more.
  [[nodiscard]] double repeating(const ComponentRange& range) const;

 private:
  void find_frequencies();
  void fit_stretches(Eigen::Index component);

  std::vector<size_t> at_;
  Table scores_, waves_;
  Table left_;          ///< [kept, components], squared residuals times (n − 1)/(n − parameters)
  Vector turns_, one_;  ///< [components]; one_: what one sinusoid explains
};

}  // namespace summand::lab
