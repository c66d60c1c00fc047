#pragma once

#include <functional>

#include "engine/engine.hpp"
#include "model/batch.hpp"
#include "model/weights.hpp"

namespace summand::calibration {

/// Inputs of a calibration.
struct CalibrationTask {
  const engine::Engine& engine;  ///< of `weights`, in fp32
  const model::Weights& weights;
  const model::Batch& batch;  ///< texts with at least one token among them
  int threads = 1;            ///< that may take part; the result does not depend on them
  /// Called after every product, by several threads at once; its exceptions propagate.
  std::function<void()> on_step = {};
};

/// The encoder's dense layers rounded to 8 bits by what they read on texts: each product's inputs get factors
/// (input_factors), its weights are divided by them and rounded with compensation (CompensatedRounding), and its bias
/// takes up what rounding the weights does to the mean of its outputs. Queries, keys and values are one product with
/// the same factors; the squares of queries' and keys' weights, which meet a softmax, count a 32nd in them. Every
/// product is looked at where the model in single precision has it.
///
/// The bits depend on the weights, the batch and the instruction set.
/// @return the weights as I8 with row_scales and column_factors, and biases in F32, in place of the encoder's own
/// @throws ConfigError if the model has per-layer inputs, which no tap sees
[[nodiscard]] model::Weights calibrate(const CalibrationTask& task);

}  // namespace summand::calibration
