#include "engine/window_encoder.hpp"

#include "model/window_bert.hpp"

namespace summand::engine {

WindowEncoder::WindowEncoder(const model::Config& config, const model::Weights& weights)
    : engine_(model::window_bert_config(config), model::window_bert_weights(config, weights), {.threads = 1}) {}

Matrix<float> WindowEncoder::logits(MatrixView<const float> vectors, std::span<const size_t> offsets) const {
  model::WindowRows<float> rows(vectors, offsets);
  return head_logits(engine_, model::window_batch(offsets), model::Head::sequence_classification, {}, &rows);
}

}  // namespace summand::engine
