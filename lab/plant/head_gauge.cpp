#include "lab/plant/head_gauge.hpp"

#include <cmath>
#include <cstddef>
#include <string>

#include "lab/plant/tensor_like.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/table_of.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr double kFactor = 64;         // of the queries, and one over it of the keys
constexpr double kFactorSpread = 0.5;  // of its logarithm, from head to head
constexpr double kStretch = 0.4;       // of the logarithm of what stretches a head's coordinates; a few times at most,
                                       // for scores lose as many digits
constexpr double kKeyShift = 1;        // in the size of a key
constexpr double kValueShift = 1;      // in the size of a value; sums of more lose digits

/// A linear map, y = W x + b.
struct Map {
  Table weight;  ///< [out, in]
  Vector bias;   ///< [out]
};

/// One layer's part of the checkpoint's parameters.
class LayerMaps {
 public:
  LayerMaps(model::Weights& weights, size_t layer) : weights_(weights), layer_(layer) {}

  [[nodiscard]] Map at(const char* map) const {
    return {table_of(weights_.at(name(map, ".weight"))), table_of(weights_.at(name(map, ".bias"))).transpose()};
  }
  void set(const char* map, const Map& value) {
    put(name(map, ".weight"), value.weight);
    put(name(map, ".bias"), value.bias.transpose());
  }

 private:
  [[nodiscard]] std::string name(const char* map, const char* part) const {
    return model::layer_parameter(layer_, map) + part;
  }
  void put(const std::string& name, const Table& table) { weights_.set(name, tensor_like(weights_.at(name), table)); }

  model::Weights& weights_;
  size_t layer_;
};

/// Of what a map makes of inputs whose coordinates have variance 1: standard deviation of a coordinate.
double size_of(const Map& map) {
  return std::sqrt(map.weight.squaredNorm() / static_cast<double>(map.weight.rows()));
}

Table random_rotation(Index width, RandomStream& stream) {
  return rotated(Table::Identity(width, width), stream);
}

Vector drawn(Index width, double deviation, RandomStream& stream) {
  Vector values(width);
  for (double& value : values) value = deviation * stream.normal();
  return values;
}

/// y becomes A y, in the rows from `first` on.
void apply(const Table& turn, Index first, Map& map) {
  const Index width = turn.rows();
  map.weight.middleRows(first, width) = (turn * map.weight.middleRows(first, width)).eval();
  map.bias.segment(first, width) = (turn * map.bias.segment(first, width)).eval();
}

void change_queries_and_keys(LayerMaps maps, Index width, RandomStream& stream) {
  Map query = maps.at("attention.self.query");
  Map key = maps.at("attention.self.key");
  key.bias += drawn(key.bias.size(), kKeyShift * size_of(key), stream);
  for (Index first = 0; first < query.bias.size(); first += width) {
    const Table left = random_rotation(width, stream);
    const Table right = random_rotation(width, stream);
    const double factor = kFactor * std::exp(kFactorSpread * stream.normal());
    const Vector stretch = factor * drawn(width, kStretch, stream).array().exp();
    apply(left * stretch.asDiagonal() * right, first, query);
    apply(left * stretch.cwiseInverse().asDiagonal() * right, first, key);
  }
  maps.set("attention.self.query", query);
  maps.set("attention.self.key", key);
}

void change_values(LayerMaps maps, Index width, RandomStream& stream) {
  Map value = maps.at("attention.self.value");
  Map output = maps.at("attention.output.dense");
  for (Index first = 0; first < value.bias.size(); first += width) {
    const Table turn = random_rotation(width, stream);
    apply(turn, first, value);
    output.weight.middleCols(first, width) = (output.weight.middleCols(first, width) * turn.transpose()).eval();
  }
  const Vector shift = drawn(value.bias.size(), kValueShift * size_of(value), stream);
  value.bias += shift;
  output.bias -= output.weight * shift;
  maps.set("attention.self.value", value);
  maps.set("attention.output.dense", output);
}

}  // namespace

void change_gauge(const model::Config& config, model::Weights& weights, RandomStream& stream) {
  const auto width = static_cast<Index>(config.head_size());
  for (size_t layer = 0; layer < static_cast<size_t>(config.num_hidden_layers); ++layer) {
    const LayerMaps maps(weights, layer);
    change_queries_and_keys(maps, width, stream);
    change_values(maps, width, stream);
  }
}

}  // namespace summand::lab
