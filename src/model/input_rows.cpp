#include "model/input_rows.hpp"

namespace summand::model {

InputRows::InputRows(const Config& config, const Batch& batch, size_t text) {
  const auto of_text = [&](const std::vector<int32_t>& values) {
    return std::span(values).subspan(batch.offsets[text], batch.length(text));
  };
  token_ = of_text(batch.ids);
  position_ = of_text(batch.positions);
  segment_ = of_text(batch.segments);
  if (const auto* hierarchical = std::get_if<HierarchicalPositions>(&config.position)) {
    own_position_ = hierarchical->rows_of(token_, config.position_table_size().rows);
  }
  if (!std::holds_alternative<JointTable>(config.composition)) return;
  const auto positions = static_cast<int32_t>(config.max_position_embeddings);
  const auto segments = static_cast<int32_t>(config.type_vocab_size);
  for (size_t i = 0; i < token_.size(); ++i) {
    own_token_.push_back((token_[i] * positions + position_[i]) * segments + segment_[i]);
  }
}

}  // namespace summand::model
