#pragma once

#include <cstddef>

#include "base/random_stream.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Which inner products rows have by their distance alone, and tables that have the same ones and nothing else.

/// Σ ⟨row x, row x + k⟩ over all x. @return [rows], entry k is lag k
[[nodiscard]] Vector lag_sums(const Table& rows);

/// The mean of ⟨p(x), p(x + k)⟩ over all pairs of kept positions k apart, p less the mean of all rows; 0 where no pair
/// is k apart. Entry 0 is the mean square of a row's norm.
/// @return [span], entry k is lag k @throws UsageError if there is no row
[[nodiscard]] Vector lag_kernel(const PlacedRows& of);

/// Tables with a given lag kernel and no other structure: independent Gaussian columns, each a draw of the one
/// stationary process that has this kernel divided by the number of columns. The square root of the kernel's Toeplitz
/// matrix is taken once, of its symmetric and its antisymmetric half apart.
class StationaryProcess {
 public:
  /// @param kernel  [rows], entry k is the inner product of rows k apart
  /// @throws UsageError if it is empty, or entry 0 not above 0
  explicit StationaryProcess(const Vector& kernel);

  /// Which share of its eigenvalues' sizes lay below 0. No stationary process has those: they are set to 0, and the
  /// rest is scaled so that the variance stays.
  [[nodiscard]] double clipped() const { return clipped_; }

  /// @return [rows, columns], of mean 0; in expectation its rows k apart have inner product kernel(k)
  [[nodiscard]] Table draw(size_t columns, RandomStream& stream) const;

 private:
  Eigen::MatrixXd symmetric_;      ///< square root of what is the same read backwards
  Eigen::MatrixXd antisymmetric_;  ///< and of what changes its sign
  double clipped_ = 0;
};

}  // namespace summand::lab
