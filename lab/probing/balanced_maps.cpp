#include "lab/probing/balanced_maps.hpp"
#include "lab/subject/table_of.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <vector>

#include "lab/probing/norm_outputs.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

constexpr const char* kQuery = "attention.self.query";
constexpr const char* kKey = "attention.self.key";

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

}  // namespace

BalancedHead balanced_head(const Table& query, const Table& key) {
  const Factors left = factors_of(query.transpose());
  const Factors right = factors_of(key.transpose());
  const Eigen::BDCSVD<MatrixXd> svd(left.r * right.r.transpose(), Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector roots = svd.singularValues().cwiseSqrt();
  return {.query = roots.asDiagonal() * (left.q * svd.matrixU()).transpose(),
          .key = roots.asDiagonal() * (right.q * svd.matrixV()).transpose()};
}

BalancedLayer balanced_layer(const ChangedModel& model, size_t layer) {
  const NormOutputs inputs = attention_inputs(model.weights, layer);
  const auto smallest = [&](const char* map) {
    const auto part = [&](const char* which) {
      return table_of(model.weights.at(model::layer_parameter(layer, map) + which));
    };
    Table weight = part(".weight");
    Vector bias = part(".bias").row(0);
    inputs.reduce(weight, bias);
    Table both(weight.rows(), weight.cols() + 1);
    // Of deviations from what all inputs have in common, in their own scale.
    both << weight * inputs.scale(), bias + weight * inputs.bias();
    return both;
  };
  const double scale = inputs.scale() > 0 ? inputs.scale() : 1;
  const Table query = smallest(kQuery);
  const Index hidden = query.rows();
  const Table key = smallest(kKey).leftCols(hidden);
  const auto width = static_cast<Index>(model.config.head_size());
  BalancedLayer maps{.query = Table(hidden, hidden), .query_bias = Vector(hidden), .key = Table(hidden, hidden)};
  for (Index first = 0; first < hidden; first += width) {
    const BalancedHead head = balanced_head(query.middleRows(first, width), key.middleRows(first, width));
    const Table back = head.query.leftCols(hidden) / scale;
    maps.query.middleRows(first, width) = back;
    maps.query_bias.segment(first, width) = head.query.col(hidden) - back * inputs.bias();
    maps.key.middleRows(first, width) = head.key / scale;
  }
  return maps;
}

ChangedModel with_balanced_maps(ChangedModel model) {
  for (size_t layer = 0; layer < static_cast<size_t>(model.config.num_hidden_layers); ++layer) {
    const BalancedLayer maps = balanced_layer(model, layer);
    set_map(model, model::layer_parameter(layer, kQuery), maps.query, maps.query_bias);
    set_map(model, model::layer_parameter(layer, kKey), maps.key, Vector::Zero(maps.key.rows()));
  }
  return model;
}

void set_map(ChangedModel& model, const std::string& name, const Table& weight, const Vector& bias) {
  model.replace(name + ".weight", weight);
  std::vector<float> values;
  for (const double value : bias) values.push_back(static_cast<float>(value));
  model.weights.set(name + ".bias", model::make_tensor({values.size()}, values));
}

}  // namespace summand::lab
