#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

#include "base/matrix.hpp"
#include "engine/embeddings.hpp"
#include "engine/kernels.hpp"
#include "engine/packed_linear.hpp"
#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// The dense layer, activation and normalisation before the masked-language decoder, and the decoder.
struct MaskedLanguageHead {
  PackedLinear transform;
  LayerNorm norm;
  PackedLinear decoder;

  MaskedLanguageHead(const model::Config& config, const model::Weights& weights);
};

/// A model's heads, ready for the kernels. The masked-language head's decoder is as large as the token table, so that
/// head is packed when it is first asked for.
///
/// Thread-safety: const members may be called from several threads at once.
class Heads {
 public:
  /// Takes the heads that the weights contain. @throws CheckpointError if a parameter of one is missing
  Heads(const model::Config& config, const model::Weights& weights);

  /// Sequence and token classification have the same parameters, so a model with one has the other.
  [[nodiscard]] bool has(model::Head head) const;
  /// Width of a head's logits.
  [[nodiscard]] size_t columns(model::Head head) const;

  [[nodiscard]] const MaskedLanguageHead& masked_language() const;
  /// The product that makes the logits: the decoder, or the one dense layer of another head.
  [[nodiscard]] const PackedLinear& output(model::Head head) const;

 private:
  model::Config config_;
  model::Weights weights_;
  std::optional<PackedLinear> next_sentence_;
  std::optional<PackedLinear> classifier_;
  mutable std::once_flag masked_language_packed_;
  mutable std::optional<MaskedLanguageHead> masked_language_;
};

}  // namespace summand::engine
