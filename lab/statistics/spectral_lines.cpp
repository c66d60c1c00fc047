#include "lab/statistics/spectral_lines.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/statistics/lag_kernel.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr Index kPerTurn = 4;  // 1 / kTurnStep
constexpr Index kFrequenciesAtOnce = 64;

Table windowed(const PlacedRows& of) {
  require(of.at.size() >= 2, "spectrum", "expected two rows or more");
  Table rows = centred_in_place(of);
  const auto span = static_cast<double>(rows.rows());
  for (Index i = 0; i < rows.rows(); ++i) {
    rows.row(i) *= std::pow(std::sin(std::numbers::pi * (static_cast<double>(i) + 0.5) / span), 2);
  }
  return rows;
}

/// cos(2πi / (4 · span)), one round of them: every angle of a frequency and a position or lag is one.
Vector round_of_cosines(Index span) {
  return Vector::NullaryExpr(kPerTurn * span, [&](Index i) {
    return std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(kPerTurn * span));
  });
}

Index frequencies_of(Index span) {
  return kPerTurn * span / 2 + 1;
}

}  // namespace

double EnergySpectrum::between(double low, double high) const {
  double sum = 0;
  for (Index i = 0; i < energy.size(); ++i) {
    if (turns_at(i) >= low && turns_at(i) <= high) sum += energy(i);
  }
  return sum;
}

double EnergySpectrum::centre(double low, double high) const {
  double sum = 0;
  double weighted = 0;
  for (Index i = 0; i < energy.size(); ++i) {
    if (turns_at(i) < low || turns_at(i) > high) continue;
    sum += energy(i);
    weighted += turns_at(i) * energy(i);
  }
  return sum > 0 ? weighted / sum : (low + high) / 2;
}

EnergySpectrum energy_spectrum(const PlacedRows& of) {
  const Vector sums = lag_sums(windowed(of));
  const Index span = sums.size();
  const Vector cosines = round_of_cosines(span);
  EnergySpectrum spectrum{.energy = Vector::Zero(frequencies_of(span)), .span = static_cast<size_t>(span)};
  for (Index i = 0; i < spectrum.energy.size(); ++i) {
    double energy = sums(0);
    for (Index lag = 1; lag < span; ++lag) energy += 2 * sums(lag) * cosines(i * lag % cosines.size());
    spectrum.energy(i) = std::max(0.0, energy);
  }
  return spectrum;
}

ColumnTransform::ColumnTransform(const PlacedRows& columns) : span_(columns.span()) {
  const Table rows = windowed(columns);
  const Index span = rows.rows();
  const Vector round = round_of_cosines(span);
  const Index quarter = round.size() / 4;
  const Index frequencies = frequencies_of(span);
  cosines_.resize(frequencies, rows.cols());
  sines_.resize(frequencies, rows.cols());
  for (Index first = 0; first < frequencies; first += kFrequenciesAtOnce) {
    const Index count = std::min(kFrequenciesAtOnce, frequencies - first);
    const auto waves = [&](Index behind) {
      return Table(Table::NullaryExpr(
          count, span, [&](Index i, Index t) { return round(((first + i) * t + behind) % round.size()); }));
    };
    cosines_.middleRows(first, count) = waves(0) * rows;
    sines_.middleRows(first, count) = waves(3 * quarter) * rows;  // cos(x − 90°)
  }
}

EnergySpectrum ColumnTransform::along(const Table& axes) const {
  const Index columns = axes.rows();
  require(columns <= cosines_.cols(), "spectrum", "expected axes in the columns that were transformed");
  const Vector energy = (cosines_.leftCols(columns) * axes).rowwise().squaredNorm() +
                        (sines_.leftCols(columns) * axes).rowwise().squaredNorm();
  return {.energy = energy, .span = span_};
}

std::vector<SpectralLine> strongest_lines(const EnergySpectrum& of, const LineSettings& settings) {
  const double total = of.total();
  require(total > 0, "spectral lines", "expected rows that differ");
  EnergySpectrum left = of;
  std::vector<SpectralLine> lines;
  double held = 0;
  while (lines.size() < settings.most && held < settings.until * total) {
    Index strongest = 0;
    left.energy.maxCoeff(&strongest);
    const double turns = of.turns_at(strongest);
    const double half_width = std::max(settings.half_width * turns, settings.least_half_width);
    const double share = left.between(turns - half_width, turns + half_width);
    for (Index i = 0; i < left.energy.size(); ++i) {
      if (std::abs(of.turns_at(i) - turns) <= half_width) left.energy(i) = 0;
    }
    lines.push_back({.turns = turns, .half_width = half_width, .share = share / total});
    held += share;
  }
  return lines;
}

}  // namespace summand::lab
