#include "lab/probing/prediction_head.hpp"
#include "lab/subject/subject.hpp"
#include "lab/subject/table_of.hpp"

#include <string>
#include <utility>

#include "reference/functions.hpp"

namespace summand::lab {

using Eigen::Index;

Dense::Dense(const model::Weights& weights, const std::string& name)
    : weight(table_of(weights.at(name + ".weight"))), bias(table_of(weights.at(name + ".bias")).row(0)) {}

Table activated(model::Activation activation, Table values) {
  for (double& value : std::span(values.data(), static_cast<size_t>(values.size()))) {
    value = reference::activate(activation, value);
  }
  return values;
}

Table less_row_means(const Table& rows) {
  return rows.colwise() - rows.rowwise().mean();
}

Table normalised(const FirstNorm& norm, const Table& rows) {
  Table result = less_row_means(rows);
  const Vector variance = result.rowwise().squaredNorm() / static_cast<double>(result.cols());
  result.array().colwise() /= (variance.array() + norm.epsilon).sqrt();
  return (result.array().rowwise() * norm.weight.transpose().array()).matrix().rowwise() + norm.bias.transpose();
}

FirstNorm norm_of(const Subject& subject, const std::string& name) {
  const auto& weights = subject.model->checkpoint().weights;
  return {.weight = table_of(weights.at(name + ".weight")).row(0),
          .bias = table_of(weights.at(name + ".bias")).row(0),
          .epsilon = subject.model->config().layer_norm_eps};
}

Table PredictionHead::transformed(const Table& states) const {
  return normalised(norm, activated(activation, dense(states)));
}

std::optional<PredictionHead> prediction_head(const Subject& subject) {
  if (!subject.model->engine().has_head(model::Head::masked_language)) return {};
  const auto& checkpoint = subject.model->checkpoint();
  const bool tied = checkpoint.parts.decoder == model::Decoder::tied;
  return PredictionHead{.dense = Dense(checkpoint.weights, "cls.predictions.transform.dense"),
                        .norm = norm_of(subject, "cls.predictions.transform.LayerNorm"),
                        .activation = subject.model->config().hidden_act,
                        .decoder = checkpoint.parts.decoder,
                        .rows = tied ? subject.tokens : table_of(model::decoder_weight(checkpoint.weights)),
                        .bias = table_of(model::decoder_bias(checkpoint.weights)).row(0)};
}

}  // namespace summand::lab
