#pragma once

#include <vector>

#include "base/matrix.hpp"
#include "base/range.hpp"
#include "engine/engine.hpp"
#include "model/batch.hpp"

namespace summand::calibration {

/// Inputs of the four products of one encoder layer, for all tokens of a batch.
struct LayerInputs {
  Matrix<float> hidden;        ///< [tokens, hidden]: queries, keys and values
  Matrix<float> context;       ///< [tokens, hidden]: the attention block's output
  Matrix<float> attended;      ///< [tokens, hidden]: the feed-forward block's first layer
  Matrix<float> intermediate;  ///< [tokens, intermediate]: its second
};

/// Runs a model and keeps the inputs of some layers' products: tokens · (3 · hidden + intermediate) floats a layer.
/// @param engine  in fp32, of a model without per-layer inputs
/// @param layers  0 is the first
[[nodiscard]] std::vector<LayerInputs> layer_inputs(const engine::Engine& engine, const model::Batch& batch,
                                                    Range layers);

}  // namespace summand::calibration
