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
#include "api/outputs/result_setting.hpp"
#include "base/matrix.hpp"
#include "model/sentence_modules.hpp"
#include "summand/embeddings.hpp"

namespace summand::api {

using summand::Embeddings;
using summand::EmbedOptions;
using summand::Normalization;

/// Computes sentence vectors as sentence-transformers does: prompt, transformer, pooling, dense layers, normalisation,
/// truncation to `dimensions`. A text's vector has the same bits whatever else is in the call.
///
/// With windows, long texts are divided, and every window gets the prompt, as the model was trained. The outputs of the
/// dense layers are combined over the windows, then normalised and truncated. A text that fits has the same bits as
/// without windows.
///
/// Thread-safety: several threads may call const members at once. Keeps a reference to the model.
class Embedder {
 public:
  /// @throws UsageError if an option does not fit the model, or another option
  Embedder(const LoadedModel& model, EmbedOptions options);

  [[nodiscard]] size_t width() const { return width_; }
  /// The width before truncation to `dimensions`.
  [[nodiscard]] size_t pooled_width() const { return pooled_width_; }
  /// Longest text in tokens; longer ones are cut or divided.
  [[nodiscard]] size_t limit() const;
  [[nodiscard]] const LoadedModel& model() const { return *model_; }
  [[nodiscard]] Embeddings embed(const TextList& texts) const;

  // The steps of embed(), for EmbeddingBatches.

  /// How to cut longer ones.
  [[nodiscard]] text::Truncation truncation() const;
  /// How to read its texts.
  [[nodiscard]] ReadingOptions reading(size_t batch_tokens) const;

  /// Handling of repeated texts: taps see every text.
  [[nodiscard]] RepeatedTexts repeated() const { return with_taps(options_.taps, options_.repeated); }

  /// Called when a sequence of the batch is done, on the thread that computed it.
  using OnSequence = std::function<void(size_t sequence)>;
  struct BatchVectors {
    Matrix<float> vectors;  ///< [records, width]; zeros for a text without tokens
    int threads = 0;
  };
  [[nodiscard]] BatchVectors vectors(const RecordBatch& read, const OnSequence& on_sequence = {}) const;

  /// The hidden states that pooling reads.
  [[nodiscard]] std::span<const size_t> hidden_states() const { return states_; }
  /// The vector of one sequence that is not a window of a longer text.
  /// @param states  its hidden_states(), [length, hidden] each
  [[nodiscard]] std::vector<float> vector(std::span<const MatrixView<const float>> states) const {
    return finish(pool_states(states));
  }

  /// The prompt before every text, and its name if it is one of the model's.
  [[nodiscard]] const std::string& prompt() const { return prompt_; }
  [[nodiscard]] const std::optional<std::string>& prompt_name() const { return prompt_name_; }

  /// Everything that determines a vector, by name: the model's files, the options, the instruction set.
  [[nodiscard]] std::vector<ResultSetting> settings() const;
  /// Of these, what determines the vector of given tokens within one process.
  [[nodiscard]] std::vector<ResultSetting> settings_of_vector() const;

 private:
  struct PooledSequences {
    Matrix<float> rows;  ///< [sequences, width before truncation]; zeros for a sequence without tokens
    int threads = 0;
  };
  [[nodiscard]] PooledSequences pool(const RecordBatch& read, const OnSequence& on_sequence) const;
  [[nodiscard]] std::vector<float> pool_states(std::span<const MatrixView<const float>> states) const;
  /// Normalises and truncates.
  [[nodiscard]] std::vector<float> finish(std::vector<float> pooled) const;
  void choose_prompt();
  void choose_pooling();
  void choose_width();
  void check_windows() const;

  const LoadedModel* model_;
  EmbedOptions options_;
  std::vector<model::Pooling> pooling_;
  std::vector<size_t> states_;  // hidden states that pooling reads
  std::string prompt_;
  std::optional<std::string> prompt_name_;
  size_t prompt_tokens_ = 0;         // leading tokens that pooling skips
  engine::SentenceSteps once_more_;  // Normalization::always, after truncation
  size_t first_ending_ = 0;          // of the model's steps: this and later ones only normalise
  size_t pooled_width_ = 0;          // before truncation
  size_t width_ = 0;
};

}  // namespace summand::api
