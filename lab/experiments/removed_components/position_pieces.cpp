#include "lab/experiments/removed_components/position_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "lab/core/localize.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/spectrum.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kNoise = 0.1;         // of the rows' spread
constexpr size_t kMostTried = 64;      // components
constexpr double kShortestPeriod = 2;  // positions

/// The share of rows that are nearest to themselves when noise is added. @param scores  [rows, dimensions]
double separation_of(const Table& scores, const Table& noise) {
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

namespace {

std::vector<Index> other_rows(Index rows, std::span<const size_t> kept) {
  std::vector<Index> others;
  for (Index row = 0; row < rows; ++row) {
    if (!std::ranges::binary_search(kept, static_cast<size_t>(row))) others.push_back(row);
  }
  return others;
}

/// Kept rows put between the others that are nearest above and below them.
Table bridged(Table table, const std::vector<Index>& others) {
  if (others.empty()) return table;
  for (Index row = 0; row < table.rows(); ++row) {
    const auto after = std::ranges::lower_bound(others, row);
    if (after != others.end() && *after == row) continue;
    if (after == others.begin() || after == others.end()) {
      table.row(row) = Vector(table.row(after == others.end() ? others.back() : *after)).transpose();
      continue;
    }
    const Index above = *std::prev(after);
    const double way = static_cast<double>(row - above) / static_cast<double>(*after - above);
    table.row(row) = ((1 - way) * table.row(above) + way * table.row(*after)).eval();
  }
  return table;
}

}  // namespace

PositionPieces::PositionPieces(Table table, std::vector<size_t> kept)
    : table_(std::move(table)),
      kept_(std::move(kept)),
      rows_(other_rows(table_.rows(), kept_)),
      components_(principal_components(table_(rows_, Eigen::all))) {}

Table PositionPieces::with_rows(const Table& rows) const {
  Table table = table_;
  table(rows_, Eigen::all) = rows;
  return table;
}

double PositionPieces::share_of_first(size_t count) const {
  return components_.shares.head(static_cast<Index>(std::min(count, components()))).sum();
}

PositionPieces::Owner PositionPieces::owner(size_t component) const {
  const Vector squares = components_.scores.col(static_cast<Index>(component)).cwiseAbs2();
  Index row = 0;
  const double most = squares.maxCoeff(&row);
  return {.row = static_cast<size_t>(rows_[static_cast<size_t>(row)]), .share = most / squares.sum()};
}

Table PositionPieces::without(size_t component) const {
  const auto i = static_cast<Index>(component);
  return with_rows(table_(rows_, Eigen::all) - components_.scores.col(i) * components_.loadings.row(i));
}

Table PositionPieces::first_components(size_t count) const {
  const auto kept = static_cast<Index>(std::min(count, components()));
  Table rows = components_.scores.leftCols(kept) * components_.loadings.topRows(kept);
  rows.rowwise() += components_.mean.transpose();
  return with_rows(rows);
}

Table PositionPieces::first_coordinates(size_t count) const {
  const Index kept = std::min(static_cast<Index>(count), table_.cols());
  Table rows = components_.mean.transpose().replicate(static_cast<Index>(rows_.size()), 1);
  rows.leftCols(kept) = table_(rows_, Eigen::seqN(0, kept));
  return with_rows(rows);
}

size_t PositionPieces::telling_apart(RandomStream& stream) const {
  using namespace removed_components;
  const double spread = std::sqrt(components_.scores.squaredNorm() / static_cast<double>(rows_.size()));
  const double each = kNoise * spread / std::sqrt(static_cast<double>(table_.cols()));
  std::vector<Table> noises;
  for (int draw = 0; draw < kNoiseDraws; ++draw) {
    Table& noise = noises.emplace_back(components_.scores.rows(), components_.scores.cols());
    for (double& value : noise.reshaped()) value = each * stream.normal();
  }
  for (size_t count = 1; count < std::min(components(), kMostTried); ++count) {
    const auto kept = static_cast<Index>(count);
    double told = 0;
    for (const Table& noise : noises) told += separation_of(components_.scores.leftCols(kept), noise.leftCols(kept));
    if (told >= kToldApart * kNoiseDraws) return count;
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
                     .words = longest ? localize("removed_components.bands.longest", {{"shortest", shortest}})
                                      : localize("removed_components.bands.octave",
                                                 {{"shortest", shortest}, {"longest", 2 * shortest}})});
    next = last + 1;
  }
  return bands;
}

BandPiece without_band(const Table& table, const Band& band, std::span<const size_t> kept) {
  const Table basis = real_fourier_basis(static_cast<size_t>(table.rows()));
  // Rows 2k − 1 and 2k are k cycles; the last one has no sine where the length is even.
  const auto first = static_cast<Index>(2 * band.first - 1);
  const Index end = std::min(static_cast<Index>(2 * band.last + 1), basis.rows());
  const Table curves = basis.middleRows(first, end - first);
  const auto others = other_rows(table.rows(), kept);
  const Table smooth = bridged(table, others);
  const Table piece = curves.transpose() * (curves * smooth);
  const double all = centred(smooth).squaredNorm();
  BandPiece result{.without = table, .share = all > 0 ? piece.squaredNorm() / all : 0};
  result.without(others, Eigen::all) -= piece(others, Eigen::all);
  return result;
}

}  // namespace summand::lab
