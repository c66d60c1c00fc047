#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/matrix_view.hpp"
#include "engine/kernels/kernel_set.hpp"
#include "engine/kernels/precision.hpp"
#include "model/heads.hpp"
#include "model/taps.hpp"

namespace summand::engine {

/// Whether the pooled output is wanted.
enum class Pooled { skip, compute };

/// One text's results. The views are valid during the call only.
struct TextResult {
  std::span<const MatrixView<const float>> hidden_states;  ///< [length, hidden] each, in the order asked for
  std::span<const float> pooled;                           ///< [hidden], or empty: not asked for, or no pooler
  /// Of the head asked for: masked_language [the text's rows, vocabulary], next_sentence [1, 2],
  /// sequence_classification [1, labels], token_classification [length, labels], question_answering [length, 2];
  /// without a head, empty.
  MatrixView<const float> logits;
};

/// What a run is to compute, and who takes the results.
struct RunRequest {
  /// Receives a text's results as soon as they are there, on the thread that computed them, several texts at a time on
  /// several threads. Not called for texts without tokens. The engine and the thread pool must not be called from
  /// inside. What it throws ends the run and comes out of Engine::run.
  using OnText = std::function<void(size_t text, const TextResult& result)>;

  /// Which hidden states are wanted: 0 is the encoder's input, l the output of layer l. Layers that nobody needs are
  /// not computed, and of the last layer only the rows that somebody reads.
  std::vector<size_t> hidden_states = {};
  Pooled pooled = Pooled::skip;
  std::optional<model::Head> head = {};
  /// Tokens of the batch that the masked-language head is to predict, ascending; only these rows pass through the last
  /// layer's feed-forward block and through the product with the vocabulary.
  std::vector<size_t> masked = {};
  OnText on_text = {};
  /// With taps, everything runs on the calling thread, text by text; agreement is within tolerance, not in bits.
  model::Taps<float>* taps = nullptr;
};

/// What a run did, counted while it ran.
struct RunReport {
  size_t texts = 0;
  size_t tokens = 0;
  size_t groups = 0;         ///< sets of whole texts that were computed together
  size_t panels = 0;         ///< blocks of rows that passed through the products of a layer together
  size_t rows_computed = 0;  ///< rows that the products of a layer really computed: equal to `tokens`, as nothing is
                             ///< padded
  size_t last_rows = 0;      ///< rows that left the last layer: fewer than `tokens` where only some are read
  size_t head_rows = 0;      ///< rows that passed through the head's product with vocabulary or labels
  int threads = 0;           ///< threads that really took part
  const KernelSet* kernel_set = nullptr;  ///< that computed
  Precision precision = Precision::fp32;
};

}  // namespace summand::engine
