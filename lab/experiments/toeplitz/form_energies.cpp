#include "lab/experiments/toeplitz/form_energies.hpp"

#include <cstddef>
#include <numeric>

#include "base/random_stream.hpp"
#include "lab/statistics/pair_distances.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab::toeplitz {

namespace {

constexpr size_t kResamplings = 1000;

double energy_of(const PairTable& pairs) {
  const auto n = static_cast<double>(pairs.values.rows());
  const double mean = pairs.values.sum() / (n * (n - 1));  // the diagonal is 0
  return pairs.values.squaredNorm() - n * (n - 1) * mean * mean;
}

/// Over some texts and some functions, which may repeat.
Energies sum_of(const Grid& grid, const std::vector<size_t>& texts, const std::vector<size_t>& functions) {
  Energies sum;
  for (const size_t t : texts) {
    for (const size_t f : functions) {
      const Energies& one = grid[t][f];
      sum.told += one.told;
      sum.pairs += one.pairs;
      sum.odd += one.odd;
      sum.all += one.all;
    }
  }
  return sum;
}

std::vector<size_t> counted(size_t count) {
  std::vector<size_t> list(count);
  std::iota(list.begin(), list.end(), size_t{0});
  return list;
}

}  // namespace

Energies energies_of(const PlacedRows& scores, const Table& h) {
  const PairTable pairs = squared_distances(scores, h);
  const Table odd = (h - h.transpose()) / 2;
  const Table even = (h + h.transpose()) / 2;
  // ‖P·A·Pᵀ‖² by the columns' products alone.
  const Table products = scores.rows.transpose() * scores.rows;
  const auto energy = [&](const Table& form) { return (products * form * products).cwiseProduct(form).sum(); };
  const Vector diagonal = (scores.rows * even).cwiseProduct(scores.rows).rowwise().sum();
  Energies energies;
  energies.pairs = energy_of(pairs);
  energies.told = energies.pairs * share_by_distance(pairs);
  energies.odd = energy(odd);
  energies.all = energies.odd + energy(even) - diagonal.squaredNorm();
  return energies;
}

Grid grid_of(const PlacedRows& scores, const Forms& forms) {
  Grid grid;
  for (const auto& text : forms) {
    auto& row = grid.emplace_back();
    for (const auto& h : text) row.push_back(energies_of(scores, h));
  }
  return grid;
}

Energies whole(const Grid& grid) {
  return sum_of(grid, counted(grid.size()), counted(grid.front().size()));
}

double told_share(const Energies& sum) {
  return sum.pairs > 0 ? sum.told / sum.pairs : 0;
}

double odd_share(const Energies& sum) {
  return sum.all > 0 ? sum.odd / sum.all : 0;
}

Interval interval_of(const Grid& grid, double (*share)(const Energies&), const Conditions& conditions) {
  const auto values =
      drawn({.seed = conditions.seed, .name = "toeplitz: texts and functions", .count = kResamplings, .threads = 1},
            [&](RandomStream& stream) {
              const auto resampled = [&](size_t count) {
                std::vector<size_t> list(count);
                for (auto& one : list) one = stream.below(count);
                return list;
              };
              const auto texts = resampled(grid.size());
              return share(sum_of(grid, texts, resampled(grid.front().size())));
            });
  return middle_95_percent(values);
}

}  // namespace summand::lab::toeplitz
