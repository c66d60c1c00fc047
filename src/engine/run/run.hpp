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
  std::span<const MatrixView<const float>> hidden_states;  ///< [length, hidden] each, in the requested order
  std::span<const float> pooled;                           ///< [hidden], or empty if not requested or without a pooler
  std::span<const float> first;                            ///< [hidden], what the pooler read; empty where `pooled` is
  /// Logits of the requested head: masked_language [the text's rows, vocabulary], next_sentence [1, 2],
  /// sequence_classification [1, labels], token_classification [length, labels], question_answering [length, 2];
  /// without a head, empty.
  MatrixView<const float> logits;
};

/// A request to the engine: what to compute, and a callback for the results.
struct RunRequest {
  /// Receives a text's results as soon as they are computed, on the thread that computed them, concurrently on several
  /// threads. Not called for texts without tokens. Must not call the engine or the thread pool. An exception ends the
  /// run and propagates from Engine::run.
  using OnText = std::function<void(size_t text, const TextResult& result)>;

  /// Hidden states to return: 0 is the encoder's input, l the output of layer l. Unneeded layers are not computed, and
  /// of the last layer only the rows that are read.
  std::vector<size_t> hidden_states = {};
  Pooled pooled = Pooled::skip;
  std::optional<model::Head> head = {};
  /// Tokens of the batch for the masked-language head, ascending. In the last layer and the head, only these rows are
  /// computed, apart from keys and values; with taps, or if the last hidden state is asked for, the layer computes all.
  std::vector<size_t> masked = {};
  OnText on_text = {};
  /// With taps, everything runs on the calling thread, text by text; agreement is within tolerance, not in bits.
  model::Taps<float>* taps = nullptr;
};

/// Counts of a run.
struct RunReport {
  size_t texts = 0;
  size_t tokens = 0;
  size_t groups = 0;         ///< groups of whole texts computed together
  size_t panels = 0;         ///< blocks of rows multiplied together in a layer
  size_t rows_computed = 0;  ///< rows that the products of a layer really computed: equal to `tokens`, as nothing is
                             ///< padded
  size_t last_rows = 0;      ///< rows that left the last layer: fewer than `tokens` where only some are read
  size_t head_rows = 0;      ///< rows that passed through the head's product with vocabulary or labels
  int threads = 0;           ///< threads that really took part
  const KernelSet* kernel_set = nullptr;  ///< that computed
  Precision precision = Precision::fp32;
};

}  // namespace summand::engine
