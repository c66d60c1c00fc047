#include "lab/experiments/distance/distance_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace distance {
namespace {

constexpr double kPlantedLength = 24;  // of the smooth paths, in positions
constexpr double kPlantedNoise = 1;    // of every coordinate, beside a smooth part of the same size
/// The table, its null and its control.
constexpr std::array kThree{"table", "white_noise", "gaussian_process"};

/// Smooth along as many directions as there are components, and as much noise in every coordinate: what trees read well
/// and lines do not, better from the components than from the coordinates.
Table planted_components(const Table& like, RandomStream& stream) {
  const Shape shape{.rows = static_cast<size_t>(like.rows()), .columns = static_cast<size_t>(like.cols())};
  const size_t directions = std::min(kDistanceComponents, shape.columns);
  const Table smooth = gaussian_process({shape.rows, directions}, kPlantedLength, stream);
  const double spread = std::sqrt(static_cast<double>(shape.columns) / static_cast<double>(directions));
  return spread * smooth * random_frame(directions, shape.columns, stream) + kPlantedNoise * white_noise(shape, stream);
}

/// What decides E8 and E9, on further splits.
void add_splits(std::vector<Cell>& list, const Conditions& conditions) {
  const Splits splits = splits_of(conditions);
  for (size_t i = 1; i < splits.raw; ++i) {
    list.push_back({"table", Inputs::raw, PairMethod::trees, HeldOut::pairs, i});
  }
  list.push_back({"planted", Inputs::raw, PairMethod::trees, HeldOut::pairs});
  for (size_t i = 1; i < splits.networks; ++i) {
    for (const auto method : {PairMethod::network, PairMethod::unscaled_network}) {
      for (const std::string& of : {std::string("table"), std::string("sinusoid"), noise_name(i)}) {
        list.push_back({of, Inputs::components, method, kNetworkSplit, i});
      }
    }
  }
  for (size_t i = 0; i < splits.regressions; ++i) {
    for (const auto method : {PairMethod::trees, PairMethod::linear}) {
      list.push_back({"planted", Inputs::components, method, HeldOut::pairs, i});
      if (i == 0) continue;
      for (const std::string& of : {std::string("table"), noise_name(i)}) {
        list.push_back({of, Inputs::components, method, HeldOut::pairs, i});
      }
    }
  }
}

void add_networks(std::vector<Cell>& list, const Conditions& conditions) {
  for (const auto held_out : kDistanceSplits) {
    if (conditions.quick && held_out != kNetworkSplit) continue;
    for (const char* of : kThree) list.push_back({of, Inputs::components, PairMethod::network, held_out});
  }
  list.push_back({"sinusoid", Inputs::components, PairMethod::network, kNetworkSplit});
  for (const char* of : {"table", "white_noise", "sinusoid"}) {
    list.push_back({of, Inputs::components, PairMethod::unscaled_network, kNetworkSplit});
  }
}

/// Everything that is fitted, the longest first, so that no thread waits at the end.
std::vector<Cell> cells(const Conditions& conditions) {
  std::vector<Cell> list;
  for (const auto held_out : kDistanceSplits) {
    if (conditions.quick && held_out != HeldOut::pairs) continue;
    for (const char* of : kThree) list.push_back({of, Inputs::raw, PairMethod::trees, held_out});
  }
  add_networks(list, conditions);
  add_splits(list, conditions);
  for (const char* of : {"table", "white_noise", "random_walk", "gaussian_process", "sinusoid"}) {
    const bool of_three = std::ranges::find(kThree, std::string_view(of)) != kThree.end();
    for (const auto held_out : kDistanceSplits) {
      list.push_back({of, Inputs::components, PairMethod::trees, held_out});
      for (const auto method : {PairMethod::linear, PairMethod::ridge}) {
        list.push_back({of, Inputs::components, method, held_out});
        const bool leak = method == PairMethod::linear && held_out == HeldOut::pairs;
        if (!conditions.quick || (leak && of_three)) list.push_back({of, Inputs::raw, method, held_out});
      }
    }
  }
  return list;
}

}  // namespace

std::string noise_name(size_t draw) {
  const std::string first = name_of(Surrogate::white_noise);
  return draw == 0 ? first : fmt::format("{}_{}", first, draw);
}

Splits splits_of(const Conditions& conditions) {
  return conditions.quick ? Splits{.networks = 3, .regressions = 3, .raw = 3} : Splits{};
}

std::vector<Scores> over_splits(const Grid& grid, const Cell& cell, size_t splits) {
  std::vector<Scores> scores;
  for (size_t i = 0; i < splits; ++i) {
    Cell one = cell;
    one.split = i;
    if (cell.of == noise_name(0)) one.of = noise_name(i);
    scores.push_back(grid.at(one));
  }
  return scores;
}

}  // namespace distance

DistanceTables::DistanceTables(const Table& rows, const Conditions& conditions) {
  using namespace distance;
  add("table", rows);
  for (const auto surrogate : {Surrogate::white_noise, Surrogate::random_walk, Surrogate::gaussian_process}) {
    RandomStream stream(conditions.seed, "distance: " + name_of(surrogate));
    add(name_of(surrogate), drawn_surrogate(surrogate, rows, stream));
  }
  const Splits splits = splits_of(conditions);
  for (size_t i = 1; i < std::max(splits.networks, splits.regressions); ++i) {
    RandomStream stream(conditions.seed, "distance: " + noise_name(i));
    components_[noise_name(i)] =
        principal_components(drawn_surrogate(Surrogate::white_noise, rows, stream), kDistanceComponents).scores;
  }
  RandomStream stream(conditions.seed, "distance: planted");
  add("planted", planted_components(rows, stream));
  // Row 0 is left out of it too.
  add("sinusoid", sinusoid_like(Table::Zero(rows.rows() + 1, rows.cols())).bottomRows(rows.rows()));
}

void DistanceTables::add(const std::string& of, Table table) {
  components_[of] = principal_components(table, kDistanceComponents).scores;
  raw_[of] = std::move(table);
}

const Table& DistanceTables::at(const std::string& of, Inputs inputs) const {
  switch (inputs) {
    case Inputs::components:
      return components_.at(of);
    case Inputs::raw:
      break;
  }
  return raw_.at(of);
}

PairLimits limits_of(const Cell& cell, const PairLimits& limits) {
  using namespace distance;
  PairLimits result = limits;
  if (cell.inputs == Inputs::raw && cell.method == PairMethod::trees)
    result.tree_bins = std::min(limits.tree_bins, kRawTreeBins);
  return result;
}

Grid fitted(const DistanceTables& tables, const PairLimits& limits, const Conditions& conditions) {
  using namespace distance;
  const auto list = cells(conditions);
  std::vector<Scores> all(list.size());
  run_tasks(conditions, list.size(), [&](size_t i) {
    const Cell& cell = list[i];
    all[i] = score_pairs(tables.at(cell.of, cell.inputs),
                         {.method = cell.method,
                          .held_out = cell.held_out,
                          .limits = limits_of(cell, limits),
                          .seed = conditions.seed,
                          .name = cell.split == 0 ? "distance" : fmt::format("distance {}", cell.split)});
  });
  Grid grid;
  for (size_t i = 0; i < list.size(); ++i) grid.emplace(list[i], all[i]);
  return grid;
}

}  // namespace summand::lab
