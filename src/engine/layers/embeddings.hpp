#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/matrix_view.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/layers/composed_input.hpp"
#include "engine/layers/embedding_table.hpp"
#include "model/batch.hpp"
#include "model/config.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// Layer normalisation's parameters, [hidden] each.
class LayerNorm {
 public:
  /// @param name  as in "embeddings.LayerNorm"
  LayerNorm(const model::Weights& weights, const std::string& name, double epsilon);

  [[nodiscard]] Normalisation normalisation() const {
    return {.weight = weight_.data(), .bias = bias_.data(), .width = weight_.size(), .epsilon = epsilon_};
  }

 private:
  std::vector<float> weight_;
  std::vector<float> bias_;
  double epsilon_;
};

/// The input of the encoder: three rows per token, composed and normalised.
class Embeddings {
 public:
  /// @param largest_table_in_memory  as kLargestTableInMemory
  /// @throws CheckpointError if a parameter is missing
  Embeddings(const model::Config& config, const model::Weights& weights,
             size_t largest_table_in_memory = kLargestTableInMemory);

  /// Hidden state 0 of a text. The plain sum runs in a fused kernel, every other composition in model::compose.
  /// @param out  [length, hidden]
  /// @throws IoError if a row of a table that is left in the file cannot be read any more
  void embed(const SinglePrecisionKernels& kernels, const model::Batch& batch, size_t text,
             MatrixView<float> out) const;

  /// One of the three rows of each token of a text, [length, width of the table]; where a model has no such part,
  /// zeros.
  /// @throws IoError as embed()
  enum class PartName { token, position, segment };
  void part(PartName name, const model::Batch& batch, size_t text, MatrixView<float> out) const;

  /// All three.
  /// @throws IoError as embed()
  [[nodiscard]] model::InputParts<Matrix<float>> parts(const model::Batch& batch, size_t text) const;

  /// out = compose(parts), before normalisation.
  void compose(const SinglePrecisionKernels& kernels, const model::InputParts<Matrix<float>>& parts,
               MatrixView<float> out) const {
    composed_.compose(kernels,
                      {.token = parts.token.view(), .position = parts.position.view(), .segment = parts.segment.view()},
                      out);
  }
  /// Nothing, where a model leaves it out.
  void normalise(const SinglePrecisionKernels& kernels, MatrixView<float> rows) const;

 private:
  void sum(const SinglePrecisionKernels& kernels, const model::Batch& batch, size_t text, MatrixView<float> out) const;

  model::Config config_;
  bool is_plain_;  ///< a normalised sum
  size_t hidden_;
  model::PartWidths widths_;
  EmbeddingTable token_;
  std::optional<EmbeddingTable> position_;  // none: no position information
  EmbeddingTable segment_;                  // zeros: no segment information
  std::optional<LayerNorm> norm_;
  ComposedInput composed_;
};

}  // namespace summand::engine
