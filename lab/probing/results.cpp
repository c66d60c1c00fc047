#include "lab/probing/results.hpp"
#include "lab/subject/table_of.hpp"

#include <cstddef>

#include "lab/core/localize.hpp"
#include "lab/statistics/similarity.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

bool has_equal_rows(const Table& table) {
  return table.rows() < 2 || (table.rowwise() - table.row(0)).isZero(0);
}

}  // namespace

SentenceVector sentence_vector_of(const Subject& subject) {
  const auto& pooling = subject.model->checkpoint().sentence.pooling;
  return pooling.front() == model::Pooling::cls ? SentenceVector::cls : SentenceVector::mean;
}

LocalizedText words_of(SentenceVector vector) {
  switch (vector) {
    case SentenceVector::mean:
      return localize("probing.sentence_vectors.mean");
    case SentenceVector::cls:
      return localize("probing.sentence_vectors.cls");
  }
  __builtin_unreachable();
}

Table sentence_vectors(const Table& states, const model::Batch& batch, SentenceVector vector) {
  Table vectors = Table::Zero(static_cast<Index>(batch.texts()), states.cols());
  for (size_t text = 0; text < batch.texts(); ++text) {
    const auto begin = static_cast<Index>(batch.offsets[text]);
    const auto length = static_cast<Index>(batch.length(text));
    if (length == 0) continue;
    const auto row = static_cast<Index>(text);
    if (vector == SentenceVector::cls) {
      vectors.row(row) = states.row(begin);
    } else {
      vectors.row(row) = states.middleRows(begin, length).colwise().mean();
    }
  }
  return vectors;
}

Results run_texts(const engine::Engine& engine, const model::Batch& batch, SentenceVector vector) {
  std::vector<size_t> layers(static_cast<size_t>(engine.config().num_hidden_layers) + 1);
  for (size_t layer = 0; layer < layers.size(); ++layer) layers[layer] = layer;
  Results results;
  for (const auto& state : engine::hidden_states(engine, batch, layers))
    results.states.push_back(table_of(state.view()));
  results.vectors = sentence_vectors(results.states.back(), batch, vector);
  return results;
}

Vector cosines_by_row(const Table& a, const Table& b) {
  const Vector products = a.cwiseProduct(b).rowwise().sum();
  const Vector norms = a.rowwise().norm().cwiseProduct(b.rowwise().norm());
  return (norms.array() > 0).select(products.array() / norms.array().max(1e-300), 0);
}

std::vector<double> cka_by_layer(const Results& a, const Results& b) {
  std::vector<double> similarities;
  for (size_t layer = 0; layer < a.states.size(); ++layer) {
    const bool constant_a = has_equal_rows(a.states[layer]);
    const bool constant_b = has_equal_rows(b.states[layer]);
    if (constant_a || constant_b) {
      similarities.push_back(constant_a && constant_b ? 1 : 0);
    } else {
      similarities.push_back(linear_cka(a.states[layer], b.states[layer]));
    }
  }
  return similarities;
}

}  // namespace summand::lab
