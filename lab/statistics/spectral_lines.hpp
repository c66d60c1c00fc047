#pragma once

#include <cstddef>
#include <vector>

#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Frequencies are counted in turns over all positions, from the first to the last kept, both included.

/// The frequencies at which spectra are taken lie this far apart, in turns.
inline constexpr double kTurnStep = 0.25;

/// Energy by frequency. A Hann window smears each line over two turns to either side.
struct EnergySpectrum {
  Vector energy;    ///< entry i is at i · kTurnStep turns, up to half a turn a step
  size_t span = 0;  ///< positions

  [[nodiscard]] double turns_at(Eigen::Index i) const { return kTurnStep * static_cast<double>(i); }
  [[nodiscard]] double degrees_per_step(double turns) const { return 360 * turns / static_cast<double>(span); }
  [[nodiscard]] double total() const { return energy.sum(); }
  /// Of the frequencies from low to high, both in turns.
  [[nodiscard]] double between(double low, double high) const;
  /// The mean frequency there, weighted by energy, in turns; (low + high) / 2 where there is none.
  [[nodiscard]] double centre(double low, double high) const;
};

/// Summed over all columns: of the rows less their mean under a Hann window, those left out at the mean. It is the
/// cosine transform of the windowed rows' lag sums, so that it depends on inner products alone.
/// @throws UsageError with fewer than two rows
[[nodiscard]] EnergySpectrum energy_spectrum(const PlacedRows& of);

/// The windowed Fourier transform of some columns, kept, for the spectra of many planes in them.
class ColumnTransform {
 public:
  /// @param columns  [kept, columns], less their mean
  /// @throws UsageError with fewer than two rows
  explicit ColumnTransform(const PlacedRows& columns);

  /// Of the first columns along some axes, on the same scale as energy_spectrum().
  /// @param axes  [columns, directions]; as many columns as it has rows
  [[nodiscard]] EnergySpectrum along(const Table& axes) const;

 private:
  Table cosines_;  ///< [frequencies, columns]
  Table sines_;
  size_t span_ = 0;
};

/// A band of frequencies about one that is stronger than all beside it.
struct SpectralLine {
  double turns = 0;
  double half_width = 0;  ///< in turns
  double share = 0;       ///< of the whole energy, without what stronger lines have taken
};

struct LineSettings {
  double half_width = 0.25;       ///< as a share of the frequency
  double least_half_width = 1.5;  ///< in turns: about what the window smears
  double until = 0.9;             ///< of the whole energy
  size_t most = 64;
};

/// The strongest bands, one after the other, each about the frequency of most energy that is left, until they hold so
/// much. Strongest first. @throws UsageError if there is no energy
[[nodiscard]] std::vector<SpectralLine> strongest_lines(const EnergySpectrum& of, const LineSettings& settings = {});

}  // namespace summand::lab
