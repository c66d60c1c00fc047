#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/loaded_model.hpp"
#include "base/matrix.hpp"
#include "model/sentence_modules.hpp"
#include "summand/embeddings.hpp"

namespace summand::api {

using summand::Embeddings;
using summand::EmbedOptions;
using summand::Normalization;

/// From texts to sentence vectors, as sentence-transformers computes them: prompt, transformer, pooling, dense layers,
/// normalisation, dimension cut. The vector of a text has the same bits whatever else is in the call.
///
/// Thread-safety: const members may be called from several threads at once. Keeps a reference to the model.
class Embedder {
 public:
  /// @throws UsageError if an option does not fit the model
  Embedder(const LoadedModel& model, EmbedOptions options);

  [[nodiscard]] size_t width() const { return width_; }
  /// Tokens at which a text is cut.
  [[nodiscard]] size_t limit() const;
  [[nodiscard]] Embeddings embed(std::span<const text::InputRecord> records) const;

  /// The two halves of embed(), for callers that fill batches themselves.
  [[nodiscard]] text::Encoding encode(const text::InputRecord& record) const;
  [[nodiscard]] Embeddings run(const model::Batch& batch) const;

  /// Tells apart everything that changes a vector: the model's files, the options, the instruction set.
  [[nodiscard]] uint64_t fingerprint() const;

 private:
  /// A dense layer with its weights as floats.
  struct DenseLayer {
    Matrix<float> weight;
    std::vector<float> bias;
    model::DenseActivation activation;
  };

  [[nodiscard]] std::vector<float> finish(std::span<const MatrixView<const float>> states) const;
  void choose_prompt();
  void choose_pooling();
  void choose_width();

  const LoadedModel* model_;
  EmbedOptions options_;
  std::vector<model::Pooling> pooling_;
  std::vector<size_t> states_;  // the hidden states that the pooling reads
  std::vector<DenseLayer> dense_;
  std::string prompt_;
  size_t prompt_tokens_ = 0;  // tokens at the front that pooling leaves out
  size_t width_ = 0;
};

}  // namespace summand::api
