#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "engine/kernels/arithmetic.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/layers/attention_encodings.hpp"
#include "engine/layers/embeddings.hpp"
#include "engine/layers/heads.hpp"
#include "engine/layers/linear.hpp"
#include "engine/layers/packed_linear.hpp"
#include "engine/layers/packed_store.hpp"
#include "model/config.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// The parameters of one layer of the encoder, ready for the kernels.
struct EncoderLayer {
  Linear query_key_value;  ///< one product: hidden to 3 · hidden
  Linear attention_output;
  LayerNorm attention_norm;
  Linear intermediate;
  Linear output;
  LayerNorm output_norm;

  /// The sources of one network's layers.
  struct Source {
    const Arithmetic& arithmetic;
    const model::Config& config;
    const model::Weights& weights;
    PackedStore& store;  ///< of their weights
  };
  EncoderLayer(const Source& source, size_t layer);
};

/// A whole model, ready for the kernels. Constant once built: any number of threads may read it.
struct Network {
  Arithmetic arithmetic;
  const SinglePrecisionKernels* kernels;  ///< arithmetic.kernels
  model::Config config;
  size_t hidden;
  size_t heads;
  size_t head_size;
  size_t intermediate;
  AttentionEncodings encodings;
  float score_scale;
  Embeddings embeddings;
  std::unique_ptr<PackedStore> packed;  ///< the weights of the layers and of the pooler
  std::vector<EncoderLayer> layers;
  std::optional<PackedLinear> pooler;
  Heads output_heads;

  /// How a model becomes a network.
  struct Building {
    Arithmetic arithmetic;
    int threads = 1;  ///< that may pack weights
    size_t largest_table_in_memory = kLargestTableInMemory;
    std::optional<PackedPieces> packed = {};  ///< what such a network has packed before
  };
  /// @throws PackedWeightsMismatch if what was packed before is not of this model, precision and set of kernels
  Network(const model::Config& config, const model::Weights& weights, const Building& how);
};

/// values = normalised(values + residual), in place of `residual`.
void add_and_normalise(const Network& network, const LayerNorm& norm, MatrixView<const float> values,
                       MatrixView<float> residual);

/// values = normalised(values).
void normalise(const Network& network, const LayerNorm& norm, MatrixView<float> values);

/// values = activation(values).
void activate(const Network& network, model::Activation activation, MatrixView<float> values);

}  // namespace summand::engine
