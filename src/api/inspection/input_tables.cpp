#include "api/inspection/input_tables.hpp"

#include <utility>

#include "api/inspection/row_math.hpp"
#include "model/position.hpp"
#include "model/row_ops.hpp"

namespace summand::api {

namespace {

Matrix<double> position_table(const model::Config& config, const model::Weights& weights) {
  const auto size = config.position_table_size();
  auto table = model::position_table(config.position, size, weights);
  return table ? std::move(*table) : Matrix<double>(size.rows, size.columns);
}

Matrix<double> segment_table(const model::Config& config, const model::Weights& weights) {
  switch (config.segment) {
    case model::SegmentKind::learned:
      return model::to_matrix<double>(weights.at("embeddings.token_type_embeddings.weight"));
    case model::SegmentKind::none:
      return {static_cast<size_t>(config.type_vocab_size), config.part_widths().segment};
  }
  __builtin_unreachable();
}

/// @param rows  [tokens · positions · segments, hidden], as InputRows addresses them
JointEffects joint_effects(const model::Config& config, const Matrix<double>& rows, const std::vector<double>& mean) {
  const auto tokens = static_cast<size_t>(config.vocab_size);
  const auto positions = static_cast<size_t>(config.max_position_embeddings);
  const auto segments = static_cast<size_t>(config.type_vocab_size);
  JointEffects effects{Matrix<double>(tokens, rows.columns()), Matrix<double>(positions, rows.columns()),
                       Matrix<double>(segments, rows.columns())};
  for (size_t row = 0; row < rows.rows(); ++row) {
    const size_t segment = row % segments;
    const size_t position = row / segments % positions;
    const size_t token = row / segments / positions;
    for (size_t i = 0; i < rows.columns(); ++i) {
      const double deviation = rows(row, i) - mean[i];
      effects.token(token, i) += deviation / static_cast<double>(positions * segments);
      effects.position(position, i) += deviation / static_cast<double>(tokens * segments);
      effects.segment(segment, i) += deviation / static_cast<double>(tokens * positions);
    }
  }
  return effects;
}

}  // namespace

InputTables input_tables(const LoadedModel& model) {
  const auto& config = model.config();
  const auto& weights = model.checkpoint().weights;
  InputTables tables{.config = config,
                     .token = model::to_matrix<double>(weights.at("embeddings.word_embeddings.weight")),
                     .position = position_table(config, weights),
                     .segment = segment_table(config, weights),
                     .token_mean = {},
                     .position_mean = {},
                     .segment_mean = {},
                     .joint = {},
                     .composition = model::part_parameters(model::composition_parameters<double>(weights))};
  tables.token_mean = mean_row(tables.token);
  tables.position_mean = mean_row(tables.position);
  tables.segment_mean = mean_row(tables.segment);
  if (std::holds_alternative<model::JointTable>(config.composition)) {
    tables.joint = joint_effects(config, tables.token, tables.token_mean);
  }
  return tables;
}

}  // namespace summand::api
