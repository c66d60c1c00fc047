#include "lab/plant/head_gauge.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

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
constexpr double kAlike = 1;           // of a weight's row, in the direction in which all inputs are alike
constexpr double kOutputShift = 0.5;   // of a normalisation's outputs
constexpr double kOutputSpread = 0.5;  // of the logarithm of what they are multiplied by
constexpr double kCommon = 1;          // of a weight's elements, in every row; sums of more lose digits

/// A linear map, y = W x + b.
struct Map {
  Table weight;  ///< [out, in]
  Vector bias;   ///< [out]
};

Map map_at(const model::Weights& weights, const std::string& name) {
  return {table_of(weights.at(name + ".weight")), table_of(weights.at(name + ".bias")).transpose()};
}

void set_map(model::Weights& weights, const std::string& name, const Map& value) {
  const auto put = [&](const std::string& part, const Table& table) {
    weights.set(name + part, tensor_like(weights.at(name + part), table));
  };
  put(".weight", value.weight);
  put(".bias", value.bias.transpose());
}

/// One layer's part of the checkpoint's parameters.
class LayerMaps {
 public:
  LayerMaps(model::Weights& weights, size_t layer) : weights_(weights), layer_(layer) {}

  [[nodiscard]] Map at(const char* map) const { return map_at(weights_, model::layer_parameter(layer_, map)); }
  void set(const char* map, const Map& value) { set_map(weights_, model::layer_parameter(layer_, map), value); }

 private:
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

/// What reads a normalisation's outputs b + g∘x̂, x̂ of mean 0: to W a term u (1/g)ᵀ, which adds u Σ b/g to whatever is
/// read, and the bias takes it back. Where g has zeros there is no such direction.
void change_readers(model::Weights& weights, const std::string& norm, const std::vector<std::string>& readers,
                    RandomStream& stream) {
  const Vector scale = table_of(weights.at(norm + ".weight")).row(0);
  const Vector bias = table_of(weights.at(norm + ".bias")).row(0);
  if ((scale.array() == 0).any()) return;
  const Vector alike = scale.cwiseInverse().normalized();
  for (const std::string& reader : readers) {
    Map map = map_at(weights, reader);
    const Vector added = drawn(map.bias.size(), kAlike * size_of(map), stream);
    map.weight += added * alike.transpose();
    map.bias -= added * alike.dot(bias);
    set_map(weights, reader, map);
  }
}

/// To b a vector, which the biases of all that reads the outputs take back, and that of what is added to them; then all
/// outputs, and what is added to them, times one number, which the readers take back and the next normalisation out.
void shift_and_scale_outputs(model::Weights& weights, const std::string& norm, const std::vector<std::string>& readers,
                             const std::string& addend, RandomStream& stream) {
  const std::string name = norm + ".bias";
  const Vector scale = table_of(weights.at(norm + ".weight")).row(0);
  const double size = std::sqrt(scale.squaredNorm() / static_cast<double>(scale.size()));
  const Vector shift = drawn(scale.size(), kOutputShift * size, stream);
  weights.set(name, tensor_like(weights.at(name), table_of(weights.at(name)) + shift.transpose()));
  for (const std::string& reader : readers) {
    Map map = map_at(weights, reader);
    map.bias -= map.weight * shift;
    set_map(weights, reader, map);
  }
  Map added = map_at(weights, addend);
  added.bias -= shift;
  const double times = std::exp(kOutputSpread * stream.normal());
  added.weight *= times;
  added.bias *= times;
  set_map(weights, addend, added);
  for (const char* part : {".weight", ".bias"}) {
    weights.set(norm + part, tensor_like(weights.at(norm + part), times * table_of(weights.at(norm + part))));
  }
  for (const std::string& reader : readers) {
    Map map = map_at(weights, reader);
    map.weight /= times;
    set_map(weights, reader, map);
  }
}

/// What is added up before a normalisation: one linear function of its inputs, and a number, to every coordinate.
void change_addend(LayerMaps maps, const char* name, RandomStream& stream) {
  Map map = maps.at(name);
  const double size = size_of(map) / std::sqrt(static_cast<double>(map.weight.cols()));
  map.weight.rowwise() += drawn(map.weight.cols(), kCommon * size, stream).transpose();
  map.bias.array() += size_of(map) * stream.normal();
  maps.set(name, map);
}

/// What reads the last normalisation, if the model has it.
std::vector<std::string> last_readers(const model::Weights& weights) {
  std::vector<std::string> readers;
  for (const char* name : {"pooler.dense", "cls.predictions.transform.dense"}) {
    if (weights.contains(std::string(name) + ".weight")) readers.emplace_back(name);
  }
  return readers;
}

void change_around_normalisations(const model::Config& config, model::Weights& weights, RandomStream& stream) {
  const auto layers = static_cast<size_t>(config.num_hidden_layers);
  std::string before = "embeddings.LayerNorm";
  for (size_t layer = 0; layer < layers; ++layer) {
    const auto of_layer = [&](const char* name) { return model::layer_parameter(layer, name); };
    const std::vector<std::string> attention{of_layer("attention.self.query"), of_layer("attention.self.key"),
                                             of_layer("attention.self.value")};
    const std::string between = of_layer("attention.output.LayerNorm");
    change_readers(weights, before, attention, stream);
    change_readers(weights, between, {of_layer("intermediate.dense")}, stream);
    shift_and_scale_outputs(weights, before, attention, of_layer("attention.output.dense"), stream);
    shift_and_scale_outputs(weights, between, {of_layer("intermediate.dense")}, of_layer("output.dense"), stream);
    for (const char* addend : {"attention.output.dense", "output.dense"}) {
      change_addend(LayerMaps(weights, layer), addend, stream);
    }
    before = of_layer("output.LayerNorm");
  }
  change_readers(weights, before, last_readers(weights), stream);
}

}  // namespace

void change_gauge(const model::Config& config, model::Weights& weights, RandomStream& stream) {
  change_around_normalisations(config, weights, stream);
  const auto width = static_cast<Index>(config.head_size());
  for (size_t layer = 0; layer < static_cast<size_t>(config.num_hidden_layers); ++layer) {
    const LayerMaps maps(weights, layer);
    change_queries_and_keys(maps, width, stream);
    change_values(maps, width, stream);
  }
}

}  // namespace summand::lab
