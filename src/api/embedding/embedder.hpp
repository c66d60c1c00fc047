#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/batches/batch_taps.hpp"
#include "api/batches/record_batches.hpp"
#include "api/batches/window_combiner.hpp"
#include "api/model/loaded_model.hpp"
#include "api/outputs/setting.hpp"
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
/// With windows, a text that is too long is divided, and the prompt stands before every window, so that each is a query
/// or a passage as the model knows them. What the dense layers give of the windows is combined, and the result is
/// normalised and cut to its dimensions. A text that fits has the same bits as without windows.
///
/// Thread-safety: const members may be called from several threads at once. Keeps a reference to the model.
class Embedder {
 public:
  /// @throws UsageError if an option does not fit the model, or another option
  Embedder(const LoadedModel& model, EmbedOptions options);

  [[nodiscard]] size_t width() const { return width_; }
  /// Tokens at which a text is cut or divided.
  [[nodiscard]] size_t limit() const;
  [[nodiscard]] const LoadedModel& model() const { return *model_; }
  [[nodiscard]] Embeddings embed(const TextList& texts) const;

  // The steps of embed(), for EmbeddingBatches.

  /// How its texts are read.
  [[nodiscard]] ReadingOptions reading(size_t batch_tokens) const;

  /// What becomes of texts that come again: taps see every text.
  [[nodiscard]] RepeatedTexts repeated() const { return with_taps(options_.taps, options_.repeated); }

  /// Told of a sequence of the batch when it is done, on the thread that did it.
  using OnSequence = std::function<void(size_t sequence)>;
  struct BatchVectors {
    Matrix<float> vectors;  ///< [records, width]; zeros for a text without tokens
    int threads = 0;
  };
  [[nodiscard]] BatchVectors vectors(const RecordBatch& read, const OnSequence& on_sequence = {}) const;

  /// The prompt that is put before every text, and its name where it is one of the model's.
  [[nodiscard]] const std::string& prompt() const { return prompt_; }
  [[nodiscard]] const std::optional<std::string>& prompt_name() const { return prompt_name_; }

  /// All that changes a vector, by name: the model's files, the options, the instruction set.
  [[nodiscard]] std::vector<Setting> settings() const;

 private:
  struct PooledSequences {
    Matrix<float> rows;  ///< [sequences, width before the cut]; zeros where a sequence has no tokens
    int threads = 0;
  };
  [[nodiscard]] PooledSequences pool(const RecordBatch& read, const OnSequence& on_sequence) const;
  [[nodiscard]] std::vector<float> pool_states(std::span<const MatrixView<const float>> states) const;
  /// Normalises and cuts.
  [[nodiscard]] std::vector<float> finish(std::vector<float> pooled) const;
  void choose_prompt();
  void choose_pooling();
  void choose_width();
  void check_windows() const;

  const LoadedModel* model_;
  EmbedOptions options_;
  std::vector<model::Pooling> pooling_;
  std::vector<size_t> states_;  // the hidden states that the pooling reads
  std::string prompt_;
  std::optional<std::string> prompt_name_;
  size_t prompt_tokens_ = 0;  // tokens at the front that pooling leaves out
  size_t first_ending_ = 0;   // of the model's steps: from there on they only normalise
  size_t pooled_width_ = 0;   // before the dimension cut
  size_t width_ = 0;
};

}  // namespace summand::api
