#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "lab/statistics/table.hpp"
#include "lab/subject/table_of.hpp"
#include "model/parameters.hpp"
#include "tests/lab/circle_tables.hpp"
#include "tests/lab/planted_model.hpp"

/// Models whose positions are circles, and heads that read them.
namespace circle_models {

using Eigen::Index;
using summand::lab::elements;
using summand::lab::Table;
using summand::lab::table_of;
namespace model = summand::model;

inline constexpr size_t kRows = 160;
inline constexpr Index kHidden = 64;
inline constexpr size_t kHeads = 4;
inline const std::vector<double> kTurns{4, 13, 40};
inline constexpr const char* kTokens = "embeddings.word_embeddings.weight";
inline constexpr const char* kPositions = "embeddings.position_embeddings.weight";

/// Circles of radius 1, the i-th in columns 2i and 2i + 1, some noise, and a row 0 of its own.
inline Table coordinate_circles(const std::vector<double>& turns = kTurns, Index columns = kHidden) {
  Table table = 0.02 * planted::gaussian(kRows, static_cast<size_t>(columns), "circle noise");
  table.leftCols(static_cast<Index>(2 * turns.size())) += planted::circles(kRows, turns);
  table.row(0) = 3 * planted::gaussian(1, static_cast<size_t>(columns), "first row");
  return table;
}

inline void put(model::Weights& weights, const std::string& name, const Table& table) {
  std::vector<float> values(static_cast<size_t>(table.size()));
  std::ranges::transform(elements(table), values.begin(), [](double value) { return static_cast<float>(value); });
  weights.set(name, model::make_tensor(weights.at(name).shape, values));
}

inline void clear(model::Weights& weights, const std::string& name) {
  put(weights, name, Table(0 * table_of(weights.at(name))));
}

/// Two layers on a table of circles; heads of the first read circle i with strength gains(head, i), by nothing but
/// columns 2i and 2i + 1, those of the second attend to all alike.
inline summand::lab::Subject readers(const Table& gains, const std::function<void(model::Weights&)>& change = {},
                                     const std::vector<summand::Head>& heads = {}) {
  return planted::model_of({.hidden = kHidden,
                            .heads = int64_t{kHeads},
                            .intermediate = 32,
                            .layers = 2,
                            .positions = int64_t{kRows},
                            .vocabulary = 5 + int64_t{planted::kWords}},
                           {.heads = heads}, [&](model::Weights& weights) {
                             put(weights, kPositions, coordinate_circles());
                             put(weights, kTokens, Table(0.1 * table_of(weights.at(kTokens))));
                             put(weights, "embeddings.LayerNorm.weight", Table(Table::Ones(1, kHidden)));
                             clear(weights, "embeddings.LayerNorm.bias");
                             constexpr Index kSize = kHidden / Index{kHeads};
                             Table reads = Table::Zero(kHidden, kHidden);
                             for (Index head = 0; head < Index{kHeads}; ++head) {
                               for (Index i = 0; i < gains.cols(); ++i) {
                                 for (Index axis = 0; axis < 2; ++axis)
                                   reads(head * kSize + 2 * i + axis, 2 * i + axis) = gains(head, i);
                               }
                             }
                             for (const char* part : {"attention.self.query", "attention.self.key"}) {
                               for (size_t layer = 0; layer < 2; ++layer) {
                                 clear(weights, model::layer_parameter(layer, part) + ".weight");
                                 clear(weights, model::layer_parameter(layer, part) + ".bias");
                               }
                               put(weights, model::layer_parameter(0, part) + ".weight", reads);
                             }
                             if (change) change(weights);
                           });
}

/// Head i reads circle i, the last one nothing.
inline Table one_circle_each() {
  Table gains = Table::Zero(Index{kHeads}, 3);
  gains.topRows(3).diagonal().setConstant(0.7);
  return gains;
}

}  // namespace circle_models
