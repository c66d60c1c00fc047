#include "lab/experiments/self_match/replaced_maps.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "lab/statistics/surrogates.hpp"
#include "lab/subject/table_of.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

constexpr const char* kQuery = "attention.self.query";
constexpr const char* kKey = "attention.self.key";
constexpr const char* kValue = "attention.self.value";
constexpr const char* kOutput = "attention.output.dense";

size_t layers_of(const ChangedModel& model) {
  return static_cast<size_t>(model.config.num_hidden_layers);
}

/// @param weight  [out, in] @param bias  [out]
void set_map(ChangedModel& model, const std::string& name, const Table& weight, const Vector& bias) {
  model.replace(name + ".weight", weight);
  std::vector<float> values;
  for (const double value : bias) values.push_back(static_cast<float>(value));
  model.weights.set(name + ".bias", model::make_tensor({values.size()}, values));
}

void set_map(ChangedModel& model, const std::string& name, const Table& weight) {
  set_map(model, name, weight, Vector::Zero(weight.rows()));
}

/// Q and R of a tall matrix, Q [rows, columns].
struct Factors {
  MatrixXd q;
  MatrixXd r;
};

Factors factors_of(const MatrixXd& tall) {
  const Eigen::HouseholderQR<MatrixXd> factors(tall);
  const Index width = tall.cols();
  return {.q = factors.householderQ() * MatrixXd::Identity(tall.rows(), width),
          .r = factors.matrixQR().topRows(width).triangularView<Eigen::Upper>()};
}

/// All heads of a layer, one below the other.
struct BalancedLayer {
  Table query;        ///< [hidden, hidden]
  Vector query_bias;  ///< [hidden]
  Table key;          ///< [hidden, hidden]
};

BalancedLayer balanced_layer(const ChangedModel& model, size_t layer) {
  const auto part = [&](const char* map, const char* which) {
    return table_of(model.weights.at(model::layer_parameter(layer, map) + which));
  };
  const Table key = part(kKey, ".weight");
  const Index hidden = key.cols();
  Table query(hidden, hidden + 1);
  query << part(kQuery, ".weight"), part(kQuery, ".bias").transpose();
  const auto width = static_cast<Index>(model.config.head_size());
  BalancedLayer maps{.query = Table(hidden, hidden), .query_bias = Vector(hidden), .key = Table(hidden, hidden)};
  for (Index first = 0; first < hidden; first += width) {
    const BalancedHead head = balanced_head(query.middleRows(first, width), key.middleRows(first, width));
    maps.query.middleRows(first, width) = head.query.leftCols(hidden);
    maps.query_bias.segment(first, width) = head.query.col(hidden);
    maps.key.middleRows(first, width) = head.key;
  }
  return maps;
}

/// As large as another map.
Table drawn_like(const Table& map, RandomStream& stream) {
  const double size = std::sqrt(map.squaredNorm() / static_cast<double>(map.size()));
  return size * white_noise({static_cast<size_t>(map.rows()), static_cast<size_t>(map.cols())}, stream);
}

}  // namespace

BalancedHead balanced_head(const Table& query, const Table& key) {
  const Factors left = factors_of(query.transpose());
  const Factors right = factors_of(key.transpose());
  const Eigen::BDCSVD<MatrixXd> svd(left.r * right.r.transpose(), Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector roots = svd.singularValues().cwiseSqrt();
  return {.query = roots.asDiagonal() * (left.q * svd.matrixU()).transpose(),
          .key = roots.asDiagonal() * (right.q * svd.matrixV()).transpose()};
}

ChangedModel with_balanced_maps(ChangedModel model) {
  for (size_t layer = 0; layer < layers_of(model); ++layer) {
    const BalancedLayer maps = balanced_layer(model, layer);
    set_map(model, model::layer_parameter(layer, kQuery), maps.query, maps.query_bias);
    set_map(model, model::layer_parameter(layer, kKey), maps.key);
  }
  return model;
}

ChangedModel with_tied_maps(ChangedModel model) {
  for (size_t layer = 0; layer < layers_of(model); ++layer) {
    const BalancedLayer maps = balanced_layer(model, layer);
    for (const char* map : {kQuery, kKey}) {
      set_map(model, model::layer_parameter(layer, map), maps.query, maps.query_bias);
    }
  }
  return model;
}

ChangedModel with_random_maps(ChangedModel model, RandomStream& stream) {
  for (size_t layer = 0; layer < layers_of(model); ++layer) {
    const BalancedLayer maps = balanced_layer(model, layer);
    set_map(model, model::layer_parameter(layer, kQuery), drawn_like(maps.query, stream));
    set_map(model, model::layer_parameter(layer, kKey), drawn_like(maps.key, stream));
  }
  return model;
}

ChangedModel with_identity(ChangedModel model, Identity which, int64_t heads) {
  std::vector<const char*> maps{kQuery, kKey};
  if (which == Identity::queries_keys_values) maps.insert(maps.end(), {kValue, kOutput});
  const auto hidden = static_cast<Index>(model.config.hidden_size);
  for (size_t layer = 0; layer < layers_of(model); ++layer) {
    for (const char* map : maps) {
      set_map(model, model::layer_parameter(layer, map), Table::Identity(hidden, hidden));
    }
  }
  model.config.num_attention_heads = heads;
  return model;
}

ChangedModel first_layer_of(ChangedModel model) {
  model.config.num_hidden_layers = 1;
  return model;
}

}  // namespace summand::lab
