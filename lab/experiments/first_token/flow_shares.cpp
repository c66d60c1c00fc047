#include "lab/experiments/first_token/flow_shares.hpp"
#include "lab/subject/subject.hpp"

#include <algorithm>
#include <cmath>

#include "model/parameters.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr double kSumRounding = 1e-12;  // of a sum: equal shares have no coefficient

/// ‖Σ_h α_ij v_j W_O + δ_ij x_i‖, rows divided by their sums.
/// @param attention  [heads] of [length, length] @param values  [length, hidden], less what they share
/// @param states  [length, hidden]
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
    const Table products = turned * turned.transpose();
    Vector weights(heads);
    for (Index i = 0; i < length; ++i) {
      for (Index h = 0; h < heads; ++h) weights(h) = attention[static_cast<size_t>(h)](i, j);
      norms(i, j) = i == j ? (turned.transpose() * weights + states.row(i).transpose()).norm()
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

std::vector<Table> output_maps(const Subject& subject) {
  std::vector<Table> maps;
  const auto layers = static_cast<size_t>(subject.model->config().num_hidden_layers);
  for (size_t layer = 0; layer < layers; ++layer) {
    const auto& tensor =
        subject.model->checkpoint().weights.at(model::layer_parameter(layer, "attention.output.dense.weight"));
    const auto values = model::to_doubles(tensor);
    const auto rows = static_cast<Index>(tensor.shape[0]);
    maps.emplace_back(Eigen::Map<const Table>(values.data(), rows, static_cast<Index>(values.size()) / rows));
  }
  return maps;
}

FlowShares flow_shares(const TextAttention& text, const std::vector<Table>& output_maps) {
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
    shares.norms = (norm_weighted(attention, values, text.states[layer], output_maps[layer]) * shares.norms).eval();
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
