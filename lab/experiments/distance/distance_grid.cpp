#include "lab/experiments/distance/distance_grid.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/tasks.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/principal_components.hpp"

namespace summand::lab {

namespace {

constexpr int kFewBins = 64;
/// The table, its null and its control.
constexpr std::array kThree{"table", "white_noise", "gaussian_process"};

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

DistanceTables::DistanceTables(const Table& rows, const Conditions& conditions) {
  add("table", rows);
  for (const auto surrogate : {Surrogate::white_noise, Surrogate::random_walk, Surrogate::gaussian_process}) {
    RandomStream stream(conditions.seed, "distance: " + name_of(surrogate));
    add(name_of(surrogate), drawn_surrogate(surrogate, rows, stream));
  }
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
  PairLimits result = limits;
  const bool dear = cell.inputs == Inputs::raw && cell.method == PairMethod::trees;
  if (dear && cell.of != "table") result.tree_bins = std::min(limits.tree_bins, kFewBins);
  return result;
}

Grid fitted(const DistanceTables& tables, const PairLimits& limits, const Conditions& conditions) {
  const auto list = cells(conditions);
  std::vector<Scores> all(list.size());
  run_tasks(conditions, list.size(), [&](size_t i) {
    const Cell& cell = list[i];
    all[i] = score_pairs(
        tables.at(cell.of, cell.inputs),
        {.method = cell.method, .held_out = cell.held_out, .limits = limits_of(cell, limits), .seed = conditions.seed});
  });
  Grid grid;
  for (size_t i = 0; i < list.size(); ++i) grid.emplace(list[i], all[i]);
  return grid;
}

}  // namespace summand::lab
