#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "api/embedding/embedder.hpp"
#include "api/model/loaded_model.hpp"
#include "base/matrix.hpp"

namespace summand::api {

/// The tokens of a text or a pair, special ones included, as the model reads them.
struct Sequence {
  std::vector<int32_t> ids;
  std::vector<int32_t> segments;  ///< as many
};

/// A sequence and how to make a vector of it.
struct SequenceForVector {
  const Sequence* sequence = nullptr;
  const Embedder* embedder = nullptr;
};

/// The vectors of sequences in one pass, each as its own embedder makes it: the bits are those of Embedder::embed() for
/// a text with these tokens.
/// @param sequences  with embedders of one model and one pooling
/// @return one for each
/// @throws TextError as check_sequence(), for the first sequence that does not fit the model
[[nodiscard]] std::vector<std::vector<float>> vectors_of_sequences(std::span<const SequenceForVector> sequences);

/// What sequences contribute to the labels of their texts, for logits_of_texts(): rows_of_sequences() of the sequence
/// classification head.
/// @throws TextError as check_sequence(); ConfigError if the model has no such head
[[nodiscard]] Matrix<float> label_rows_of_sequences(const LoadedModel& model,
                                                    std::span<const Sequence* const> sequences);

/// Makes sure that a model can run a sequence.
/// @throws TextError if it is empty, longer than the model's positions, or has an id or a segment without a row
void check_sequence(const LoadedModel& model, const Sequence& sequence);

}  // namespace summand::api
