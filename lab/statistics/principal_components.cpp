#include "lab/statistics/principal_components.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"

namespace summand::lab {

PrincipalComponents principal_components(const Table& table, size_t at_most) {
  require(table.rows() >= 2, "principal components", fmt::format("expected two rows or more, got {}", table.rows()));
  PrincipalComponents result;
  result.mean = column_means(table);
  const Table x = table.rowwise() - result.mean.transpose();
  auto directions = singular_vectors(x, at_most);
  result.variances = directions.values.array().square() / static_cast<double>(table.rows() - 1);
  result.shares = directions.values.array().square() / x.squaredNorm();
  result.scores = directions.left * directions.values.asDiagonal();
  result.loadings = std::move(directions.right);
  return result;
}

Vector variance_shares(const Table& table) {
  const Vector squares = squared_singular_values(centred(table));
  require(squares.sum() > 0, "principal components", "expected rows that differ");
  return squares / squares.sum();
}

double effective_rank(const Vector& shares) {
  const double whole = shares.sum();
  double entropy = 0;
  for (const double share : shares) {
    if (share > 0) entropy -= share / whole * std::log(share / whole);
  }
  return std::exp(entropy);
}

double participation_ratio(const Vector& shares) {
  return std::pow(shares.sum(), 2) / shares.squaredNorm();
}

size_t components_above(const Vector& shares, double share) {
  return static_cast<size_t>((shares.array() > share).count());
}

Table leverages(const PrincipalComponents& components) {
  const Table squares = components.scores.array().square();
  return squares.array().rowwise() / squares.colwise().sum().array();
}

std::vector<ComponentMatch> match_components(const PrincipalComponents& of, const PrincipalComponents& other,
                                             size_t count) {
  const auto rows = static_cast<Eigen::Index>(count);
  require(rows <= of.loadings.rows() && rows <= other.loadings.rows() && of.loadings.cols() == other.loadings.cols(),
          "component match", fmt::format("expected {} components of one width in both tables", count));
  const Table cosines = of.loadings.topRows(rows) * other.loadings.topRows(rows).transpose();
  std::vector<ComponentMatch> matches(count);
  for (Eigen::Index i = 0; i < rows; ++i) {
    Eigen::Index nearest = 0;
    const double cosine = cosines.row(i).cwiseAbs().maxCoeff(&nearest);
    matches[static_cast<size_t>(i)] = {static_cast<size_t>(nearest), cosine, cosines.row(i).squaredNorm()};
  }
  return matches;
}

}  // namespace summand::lab
