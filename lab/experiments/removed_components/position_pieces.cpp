#include "lab/experiments/removed_components/position_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lab/core/wording.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/spectrum.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kNoise = 0.1;         // of the rows' spread
constexpr size_t kMostTried = 64;      // components
constexpr double kShortestPeriod = 2;  // positions

/// The share of rows that are nearest to themselves when noise is added. @param scores  [rows, dimensions]
double told_apart(const Table& scores, const Table& noise) {
  const Table seen = scores + noise;
  // ‖seen − row‖² less what all rows of one seen have in common.
  const Table distances = (-2 * seen * scores.transpose()).rowwise() + scores.rowwise().squaredNorm().transpose();
  size_t right = 0;
  for (Index row = 0; row < distances.rows(); ++row) {
    Index nearest = 0;
    distances.row(row).minCoeff(&nearest);
    if (nearest == row) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(scores.rows());
}

}  // namespace

PositionPieces::PositionPieces(Table table) : table_(std::move(table)), components_(principal_components(table_)) {}

PositionPieces::Owner PositionPieces::owner(size_t component) const {
  const Vector squares = components_.scores.col(static_cast<Index>(component)).cwiseAbs2();
  Index row = 0;
  const double most = squares.maxCoeff(&row);
  return {.row = static_cast<size_t>(row), .share = most / squares.sum()};
}

Table PositionPieces::without(size_t component) const {
  const auto i = static_cast<Index>(component);
  return table_ - components_.scores.col(i) * components_.loadings.row(i);
}

Table PositionPieces::first_components(size_t count) const {
  const auto kept = static_cast<Index>(std::min(count, components()));
  Table table = components_.scores.leftCols(kept) * components_.loadings.topRows(kept);
  table.rowwise() += components_.mean.transpose();
  return table;
}

Table PositionPieces::first_coordinates(size_t count) const {
  const Index kept = std::min(static_cast<Index>(count), table_.cols());
  Table table = components_.mean.transpose().replicate(table_.rows(), 1);
  table.leftCols(kept) = table_.leftCols(kept);
  return table;
}

size_t PositionPieces::telling_apart(RandomStream& stream) const {
  const double spread = std::sqrt(components_.scores.squaredNorm() / static_cast<double>(table_.rows()));
  const double each = kNoise * spread / std::sqrt(static_cast<double>(table_.cols()));
  Table noise(components_.scores.rows(), components_.scores.cols());
  for (double& value : noise.reshaped()) value = each * stream.normal();
  for (size_t count = 1; count < std::min(components(), kMostTried); ++count) {
    const auto kept = static_cast<Index>(count);
    const double told = told_apart(components_.scores.leftCols(kept), noise.leftCols(kept));
    if (told >= removed_components::kToldApart) return count;
  }
  return components();
}

std::vector<Band> bands_of(size_t positions) {
  std::vector<Band> bands;
  const auto length = static_cast<double>(positions);
  const size_t most = positions / 2;
  double shortest = kShortestPeriod;
  while (shortest * 2 < length) shortest *= 2;
  size_t next = 1;
  for (; shortest >= kShortestPeriod && next <= most; shortest /= 2) {
    // Cycles whose period, length / cycles, is at least this.
    const auto last = std::min(most, static_cast<size_t>(length / shortest));
    if (last < next) continue;
    const bool longest = bands.empty();
    bands.push_back({.first = next,
                     .last = last,
                     .words = longest ? wording("removed_components.bands.longest", {{"shortest", shortest}})
                                      : wording("removed_components.bands.octave",
                                                {{"shortest", shortest}, {"longest", 2 * shortest}})});
    next = last + 1;
  }
  return bands;
}

BandPiece without_band(const Table& table, const Band& band) {
  const Table basis = real_fourier_basis(static_cast<size_t>(table.rows()));
  // Rows 2k − 1 and 2k are k cycles; the last one has no sine where the length is even.
  const auto first = static_cast<Index>(2 * band.first - 1);
  const Index end = std::min(static_cast<Index>(2 * band.last + 1), basis.rows());
  const Table curves = basis.middleRows(first, end - first);
  const Table piece = curves.transpose() * (curves * table);
  const double all = centred(table).squaredNorm();
  return {.without = table - piece, .share = all > 0 ? piece.squaredNorm() / all : 0};
}

}  // namespace summand::lab
