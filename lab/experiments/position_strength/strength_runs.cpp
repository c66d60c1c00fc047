#include "lab/experiments/position_strength/strength_runs.hpp"
#include "engine/run/run.hpp"
#include "lab/subject/table_of.hpp"

#include <algorithm>
#include <cstddef>

#include "lab/probing/attention.hpp"
#include "lab/probing/watch.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

template <class Of>
std::vector<double> mean_by_layer(const LayerAttention& attention, const Of& of) {
  std::vector<double> means;
  for (size_t layer = 0; layer < attention.size(); ++layer) {
    double sum = 0;
    for (size_t i = 0; i < attention[layer].size(); ++i) sum += of(layer, i);
    means.push_back(sum / static_cast<double>(std::max<size_t>(1, attention[layer].size())));
  }
  return means;
}

}  // namespace

LayerAttention layer_attention(const engine::Engine& engine, const model::Batch& batch) {
  LayerAttention attention(static_cast<size_t>(engine.config().num_hidden_layers));
  watch_attention(engine, batch, {}, [&](const TextAttention& text) {
    for (size_t layer = 0; layer < attention.size(); ++layer) {
      for (const Table& scores : text.scores[layer]) attention[layer].push_back(softmax_rows(scores));
    }
  });
  return attention;
}

std::vector<double> divergence_by_layer(const LayerAttention& attention, const LayerAttention& other) {
  return mean_by_layer(attention,
                       [&](size_t layer, size_t i) { return divergence(attention[layer][i], other[layer][i]); });
}

std::vector<double> divergence_from_uniform_by_layer(const LayerAttention& attention) {
  return mean_by_layer(attention, [&](size_t layer, size_t i) { return divergence_from_uniform(attention[layer][i]); });
}

Table nothing_less(const LogitTerms& terms, LogitGroup) {
  return Table::Zero(terms.of[0][0].rows(), terms.of[0][0].cols());
}

Table less_group(const LogitTerms& terms, LogitGroup group) {
  return -sum_of(terms, group);
}

Table less_all(const LogitTerms& terms, LogitGroup) {
  return -terms.sum();
}

Table less_constant(const LogitTerms& terms, LogitGroup) {
  const Table sum = terms.sum();
  return (-sum.rowwise().mean()).replicate(1, sum.cols());
}

Table vectors_with_logits(const Subject& subject, const FirstLogits& logits, const model::Batch& batch,
                          LogitChange change, LogitGroup group) {
  const auto last = static_cast<size_t>(subject.model->config().num_hidden_layers);
  PartTables inputs;
  size_t inputs_of = batch.texts();  // which text they are of: heads of one text follow each other
  Watch<float> watch({model::TapPoint::scores}, [&](const model::TapSite& site, MatrixView<float> values) {
    if (site.layer > 0) return;
    if (inputs_of != site.text) inputs = logits.inputs(batch, site.text);
    inputs_of = site.text;
    const Table by = change(logits.terms(inputs, site.head), group);
    for (size_t i = 0; i < values.rows(); ++i) {
      const auto row = values.row(i);
      for (size_t j = 0; j < row.size(); ++j)
        row[j] += static_cast<float>(by(static_cast<Index>(i), static_cast<Index>(j)));
    }
  });
  Table states(static_cast<Index>(batch.tokens()), subject.tokens.cols());
  subject.model->engine().run(batch, {.hidden_states = {last},
                                      .on_text =
                                          [&](size_t text, const engine::TextResult& result) {
                                            const auto& of_text = result.hidden_states.front();
                                            states.middleRows(static_cast<Index>(batch.offsets[text]),
                                                              static_cast<Index>(of_text.rows())) = table_of(of_text);
                                          },
                                      .taps = &watch});
  return sentence_vectors(states, batch, sentence_vector_of(subject));
}

}  // namespace summand::lab
