#include "lab/probing/changed_model.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "lab/subject/embedding_tensors.hpp"
#include "lab/subject/subject.hpp"
#include "lab/subject/table_of.hpp"

namespace summand::lab {

namespace {}  // namespace

model::Tensor tensor_of(const Table& table) {
  std::vector<float> values(static_cast<size_t>(table.size()));
  std::ranges::transform(elements(table), values.begin(), [](double value) { return static_cast<float>(value); });
  return model::make_tensor({static_cast<size_t>(table.rows()), static_cast<size_t>(table.cols())}, values);
}

void ChangedModel::replace(const std::string& name, const Table& table) {
  weights.set(name, tensor_of(table));
}

void ChangedModel::replace_positions(const Table& positions) {
  config.position = model::LearnedPositions();
  config.max_position_embeddings = positions.rows();
  replace(kPositionTable, positions);
}

engine::Engine ChangedModel::engine(int threads) const {
  return {config, weights, {.threads = threads}};
}

ChangedModel changed_model(const Subject& subject) {
  ChangedModel model{subject.model->config(), subject.model->checkpoint().weights};
  const Eigen::Index segments = subject.segments.rows();
  if (segments > 0 && segments < model.config.type_vocab_size) {
    model.replace(kSegmentTable, table_of(model.weights.at(kSegmentTable)).topRows(segments));
    model.config.type_vocab_size = segments;
  }
  return model;
}

engine::Engine engine_with_positions(const Subject& subject, const Table& positions, int threads) {
  auto model = changed_model(subject);
  model.replace_positions(positions);
  return model.engine(threads);
}

}  // namespace summand::lab
