#pragma once

#include <array>
#include <string>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/statistics/lag_kernel.hpp"
#include "lab/statistics/placed_rows.hpp"

namespace summand::lab {

/// Tables that have a table's inner products by distance and nothing beyond them: the null of whatever a stationary
/// table could have.
enum class SameKernel {
  gaussian,      ///< independent Gaussian columns with the table's lag kernel
  joint_phases,  ///< the table, all columns turned by the same random phase at each frequency
};
inline constexpr std::array kSameKernels{SameKernel::gaussian, SameKernel::joint_phases};

/// Its key in results.json: "gaussian_same_kernel".
[[nodiscard]] std::string name_of(SameKernel null);
[[nodiscard]] LocalizedText words_of(SameKernel null);
[[nodiscard]] chart::Series series_of(SameKernel null);

/// Draws of both; what they have in common is computed once.
class SameKernelTables {
 public:
  /// @throws UsageError if the rows are all equal
  explicit SameKernelTables(const PlacedRows& like);

  /// Of the rows' shape, at their positions. Joint phases keep the sums of ⟨p(x), p(x + k)⟩ with positions counted
  /// round, rows that were left out at the mean; a Gaussian table keeps the mean products in expectation.
  /// Source: Prichard & Theiler 1994
  [[nodiscard]] PlacedRows draw(SameKernel null, RandomStream& stream) const;

  /// See StationaryProcess::clipped().
  [[nodiscard]] double clipped() const { return process_.clipped(); }

 private:
  [[nodiscard]] PlacedRows kept_of(const Table& all) const;

  std::vector<size_t> at_;
  Table grid_;  ///< [span, columns], less their mean
  StationaryProcess process_;
};

}  // namespace summand::lab
