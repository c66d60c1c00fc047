#include "lab/statistics/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

/// The other rows, nearest first; ties by number.
std::vector<size_t> by_distance(const Table& squares, size_t row) {
  const auto distances = squares.row(static_cast<Eigen::Index>(row));
  std::vector<size_t> order(static_cast<size_t>(squares.cols()));
  std::iota(order.begin(), order.end(), size_t{0});
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(row));
  std::ranges::stable_sort(order, {}, [&](size_t other) { return distances(static_cast<Eigen::Index>(other)); });
  return order;
}

}  // namespace

Table squared_distances(const Table& table) {
  // Around the mean row, so that differences lose no digits to it.
  const Table x = table.rowwise() - table.colwise().mean();
  const Vector norms = x.rowwise().squaredNorm();
  Table squares = -2 * x * x.transpose();
  squares.colwise() += norms;
  squares.rowwise() += norms.transpose();
  squares = (squares + squares.transpose()).eval().cwiseMax(0) / 2;
  squares.diagonal().setZero();
  return squares;
}

double neighbour_continuity(const Table& table, size_t count) {
  const auto rows = static_cast<size_t>(table.rows());
  require(count >= 1 && count < rows, "neighbour continuity",
          fmt::format("expected 1 to {} neighbours, got {}", rows - 1, count));
  const Table squares = squared_distances(table);
  double sum = 0;
  for (size_t row = 0; row < rows; ++row) {
    const auto order = by_distance(squares, row);
    const auto near = std::count_if(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                                    [&](size_t other) { return std::max(row, other) - std::min(row, other) <= count; });
    sum += static_cast<double>(near) / static_cast<double>(count);
  }
  return sum / static_cast<double>(rows);
}

double trustworthiness(const Table& table, const Table& embedding, size_t count) {
  const auto rows = static_cast<size_t>(table.rows());
  require(table.rows() == embedding.rows(), "trustworthiness", "expected two tables of the same items");
  require(count >= 1 && 2 * count < rows, "trustworthiness",
          fmt::format("expected 1 to {} neighbours, got {}", (rows - 1) / 2, count));
  const Table in_table = squared_distances(table);
  const Table in_embedding = squared_distances(embedding);
  double penalty = 0;
  std::vector<size_t> rank(rows);
  for (size_t row = 0; row < rows; ++row) {
    const auto order = by_distance(in_table, row);
    for (size_t place = 0; place < order.size(); ++place) rank[order[place]] = place + 1;
    const auto embedded = by_distance(in_embedding, row);
    for (size_t place = 0; place < count; ++place) {
      if (rank[embedded[place]] > count) penalty += static_cast<double>(rank[embedded[place]] - count);
    }
  }
  const auto n = static_cast<double>(rows);
  const auto k = static_cast<double>(count);
  return 1 - 2 * penalty / (n * k * (2 * n - 3 * k - 1));
}

}  // namespace summand::lab
