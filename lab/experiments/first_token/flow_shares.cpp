#include "lab/experiments/first_token/flow_shares.hpp"
#include "lab/subject/subject.hpp"
#include "lab/subject/table_of.hpp"

#include <algorithm>
#include <cmath>

#include "lab/probing/norm_outputs.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr double kSumRounding = 1e-12;  // of a sum: equal shares have no coefficient

/// ‖Σ_h α_ij v_j W_O + δ_ij x_i‖, rows divided by their sums.
/// All less their mean over the coordinates, which the normalisation behind takes out of the sum (Ba et al. 2016,
/// equation 4): a checkpoint may add to the outputs any number that it adds to every coordinate.
/// @param attention  [heads] of [length, length] @param values  [length, hidden], less what they share
/// @param states  [length, hidden], less the bias of the normalisation they come from
Table norm_weighted(const std::vector<Table>& attention, const Table& values, const Table& states,
                    const Table& output_map) {
  const auto heads = static_cast<Index>(attention.size());
  const Index width = values.cols() / heads;
  const Index length = values.rows();
  Table norms(length, length);
  for (Index j = 0; j < length; ++j) {
    Table turned(heads, values.cols());
    for (Index h = 0; h < heads; ++h) {
      turned.row(h) =
          (output_map.middleCols(h * width, width) * values.row(j).segment(h * width, width).transpose()).transpose();
    }
    turned.colwise() -= turned.rowwise().mean().eval();
    const Vector state = states.row(j).array() - states.row(j).mean();
    const Table products = turned * turned.transpose();
    Vector weights(heads);
    for (Index i = 0; i < length; ++i) {
      for (Index h = 0; h < heads; ++h) weights(h) = attention[static_cast<size_t>(h)](i, j);
      norms(i, j) = i == j ? (turned.transpose() * weights + state).norm()
                           : std::sqrt(std::max(0.0, weights.dot(products * weights)));
    }
  }
  const Vector sums = norms.rowwise().sum().cwiseMax(1e-300);
  norms.array().colwise() /= sums.array();
  return norms;
}

std::vector<double> picked(const Eigen::RowVectorXd& row, const std::vector<Index>& words) {
  std::vector<double> values;
  for (const Index word : words) values.push_back(row(word));
  return values;
}

}  // namespace

double gini(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto count = static_cast<double>(sorted.size());
  double sum = 0;
  double ranked = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i];
    ranked += (2 * static_cast<double>(i + 1) - count - 1) * sorted[i];
  }
  return ranked > kSumRounding * count * sum ? ranked / (count * sum) : 0;
}

std::vector<FlowMaps> flow_maps(const Subject& subject) {
  std::vector<FlowMaps> maps;
  const auto& weights = subject.model->checkpoint().weights;
  for (size_t layer = 0; layer < static_cast<size_t>(subject.model->config().num_hidden_layers); ++layer) {
    maps.push_back({.output = table_of(weights.at(model::layer_parameter(layer, "attention.output.dense.weight"))),
                    .bias_before = attention_inputs(weights, layer).bias()});
  }
  return maps;
}

FlowShares flow_shares(const TextAttention& text, const std::vector<FlowMaps>& maps) {
  const Index length = text.values.front().rows();
  const Table identity = Table::Identity(length, length);
  FlowShares shares{.rollout = identity, .norms = identity};
  for (size_t layer = 0; layer < text.scores.size(); ++layer) {
    std::vector<Table> attention;
    Table middle = Table::Zero(length, length);
    for (const Table& scores : text.scores[layer]) {
      attention.push_back(softmax_rows(scores));
      middle += attention.back() / static_cast<double>(text.scores[layer].size());
    }
    shares.rollout = (0.5 * (middle + identity) * shares.rollout).eval();
    const Table values = text.values[layer].rowwise() - text.values[layer].colwise().mean();
    const Table states = text.states[layer].rowwise() - maps[layer].bias_before.transpose();
    shares.norms = (norm_weighted(attention, values, states, maps[layer].output) * shares.norms).eval();
  }
  return shares;
}

ShareSummary summary_of(const Table& shares, const std::vector<Index>& words, Index drawn) {
  const auto of_row = [&](const Eigen::RowVectorXd& row) { return gini(picked(row, words)); };
  ShareSummary summary{.first_gini = of_row(shares.row(0)),
                       .one_gini = of_row(shares.row(drawn)),
                       .first_own = shares(0, 0),
                       .one_own = shares(drawn, drawn)};
  Eigen::RowVectorXd middle = Eigen::RowVectorXd::Zero(shares.cols());
  const auto count = static_cast<double>(words.size());
  for (const Index word : words) {
    summary.word_gini += of_row(shares.row(word)) / count;
    summary.word_own += shares(word, word) / count;
    summary.first_words += shares(0, word);
    middle += shares.row(word);
  }
  summary.mean_gini = of_row(middle);
  return summary;
}

}  // namespace summand::lab
