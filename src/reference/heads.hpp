#pragma once

#include <optional>
#include <span>

#include "base/matrix.hpp"
#include "model/config.hpp"
#include "model/heads.hpp"
#include "model/weights.hpp"
#include "reference/bert.hpp"
#include "reference/layers.hpp"

namespace summand::reference {

/// A model's heads, from what Bert leaves of a text to logits; written to be read.
///
/// Thread-safety: logits() is const and may be called from several threads at once.
template <class Scalar>
class Heads {
 public:
  /// Takes the heads that the weights contain.
  /// @throws CheckpointError naming the tensor if one of a head's is missing
  Heads(const model::Config& config, const model::Weights& weights);

  /// @param output  a whole text's
  /// @param rows    tokens of the text that masked_language is to predict; other heads read what they read
  /// @return masked_language [rows, vocabulary]; next_sentence [1, 2]; sequence_classification [1, labels];
  ///   token_classification [length, labels]; question_answering [length, 2]
  /// @throws UsageError if the model has no such head
  [[nodiscard]] Matrix<Scalar> logits(model::Head head, const Output<Scalar>& output,
                                      std::span<const size_t> rows = {}) const;

 private:
  /// BertLMPredictionHead: a dense layer, the encoder's activation, a normalisation; then the decoder.
  struct MaskedLanguage {
    Linear<Scalar> transform;
    Norm<Scalar> norm;
    Linear<Scalar> decoder;
  };

  model::Activation activation_;
  std::optional<MaskedLanguage> masked_language_;
  std::optional<Linear<Scalar>> next_sentence_;
  std::optional<Linear<Scalar>> classifier_;
  std::optional<Linear<Scalar>> question_answering_;
};

extern template class Heads<float>;
extern template class Heads<double>;
extern template class Heads<Dual<double>>;
extern template class Heads<Dual<Dual<double>>>;
extern template class Heads<MixedDual>;

}  // namespace summand::reference
