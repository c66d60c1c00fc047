#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

#include "base/fork_mutex.hpp"
#include "base/matrix.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/layers/embeddings.hpp"
#include "engine/layers/packed_linear.hpp"
#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// The dense layer, activation and normalisation before the masked-language decoder, and the decoder.
struct MaskedLanguageHead {
  PackedLinear transform;
  LayerNorm norm;
  PackedLinear decoder;

  /// @param threads  that may pack weights
  /// @throws IoError if a weight's file can no longer be read
  MaskedLanguageHead(const model::Config& config, const model::Weights& weights, int threads);
};

/// A model's heads, ready for the kernels. The masked-language head's decoder is as large as the token table, so that
/// head is packed when it is first asked for.
///
/// Thread-safety: const members may be called from several threads at once. A fork of the process waits until a head
/// that is being packed is ready.
class Heads {
 public:
  /// Takes the heads that the weights contain. @throws CheckpointError if a parameter of one is missing
  Heads(const model::Config& config, const model::Weights& weights);

  /// Sequence and token classification have the same parameters, so a model with one has the other.
  [[nodiscard]] bool has(model::Head head) const;
  /// Width of a head's logits.
  [[nodiscard]] size_t columns(model::Head head) const;

  /// Makes a head ready, if it is not. Not to be called from inside a task of the pool.
  /// @param threads  that may pack weights
  /// @throws IoError as MaskedLanguageHead
  void prepare(model::Head head, int threads) const;

  /// Once it is prepared.
  [[nodiscard]] const MaskedLanguageHead& masked_language() const;
  /// The product that makes the logits: the decoder, or the one dense layer of another head.
  [[nodiscard]] const PackedLinear& output(model::Head head) const;

 private:
  model::Config config_;
  model::Weights weights_;
  std::optional<PackedLinear> next_sentence_;
  std::optional<PackedLinear> classifier_;
  std::optional<PackedLinear> question_answering_;
  mutable ForkMutex packing_;
  mutable std::optional<MaskedLanguageHead> masked_language_;                      // written once, under the mutex
  mutable std::atomic<const MaskedLanguageHead*> ready_masked_language_{nullptr};  // once it is there
};

}  // namespace summand::engine
