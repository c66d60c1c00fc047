#include "lab/statistics/shift_maps.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <vector>

#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// First rows of the pairs (x, x + k).
struct Pairs {
  std::vector<Index> fit;
  std::vector<Index> judge;
};

Pairs pairs_around(const Block& block, size_t rows, size_t shift) {
  const auto held_out = [&](size_t row) { return row >= block.first && row < block.end; };
  Pairs pairs;
  for (size_t x = 0; x + shift < rows; ++x) {
    if (held_out(x) != held_out(x + shift)) continue;
    (held_out(x) ? pairs.judge : pairs.fit).push_back(static_cast<Index>(x));
  }
  return pairs;
}

Table predicted(ShiftMap map, const Table& from, const Table& to, const Table& at) {
  switch (map) {
    case ShiftMap::orthogonal:
      return at * orthogonal_procrustes(from, to);
    case ShiftMap::linear:
      return at * Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(from).solve(Eigen::MatrixXd(to));
    case ShiftMap::scalar:
      return from.cwiseProduct(to).sum() / from.squaredNorm() * at;
    case ShiftMap::constant_difference:
      return at.rowwise() + (to - from).colwise().mean();
  }
  return at;
}

}  // namespace

Table orthogonal_procrustes(const Table& from, const Table& to) {
  require(from.rows() == to.rows() && from.cols() == to.cols(), "Procrustes", "expected two tables of one shape");
  const Eigen::MatrixXd products = from.transpose() * to;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(products, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

double shift_skill(const Table& table, ShiftMap map, const ShiftSettings& settings) {
  const auto rows = static_cast<size_t>(table.rows());
  const auto shift = static_cast<Index>(settings.shift);
  const Pairs pairs = pairs_around(settings.held_out.value_or(Block{rows / 3, 2 * rows / 3}), rows, settings.shift);
  require(settings.shift >= 1 && pairs.fit.size() >= settings.components && !pairs.judge.empty(), "shift skill",
          fmt::format("expected {} pairs to fit on and some to judge by, got {} and {}", settings.components,
                      pairs.fit.size(), pairs.judge.size()));
  const Table scores = principal_components(table, settings.components).scores;
  require(static_cast<size_t>(scores.cols()) == settings.components, "shift skill",
          fmt::format("expected a table of rank {} or more, got {}", settings.components, scores.cols()));
  const Table before = scores.topRows(scores.rows() - shift);
  const Table after = scores.bottomRows(scores.rows() - shift);
  const Table at = before(pairs.judge, Eigen::all);
  const Table truth = after(pairs.judge, Eigen::all);
  const Table guess = predicted(map, before(pairs.fit, Eigen::all), after(pairs.fit, Eigen::all), at);
  return 1 - (guess - truth).squaredNorm() / (at - truth).squaredNorm();
}

}  // namespace summand::lab
