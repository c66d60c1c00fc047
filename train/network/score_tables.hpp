#pragma once

#include <optional>

#include "model/attention_kind.hpp"
#include "model/batch.hpp"
#include "train/network/packed_attention.hpp"
#include "train/network/tensors.hpp"

namespace summand::train {

/// The tokens of a batch as an encoding inside attention tells them apart: by position or segment, and a text's first
/// token from its others.
struct DistinctTokens {
  std::vector<model::TokenInText> tokens;  ///< in order; the index is 0 of a first token, else 1
  std::vector<int32_t> row;                ///< [tokens of the batch], each one's place in `tokens`
};
[[nodiscard]] DistinctTokens distinct_tokens(const model::AttentionEncoding& encoding, const model::Batch& batch);

/// Whether all that an encoding does is to add to scores what depends on no token's content.
[[nodiscard]] bool is_score_table(const model::AttentionKind& kind);
/// Whether its table is the same in all layers.
[[nodiscard]] bool is_shared(const model::AttentionEncoding& encoding);

/// What such an encoding adds to scores, for all distinct tokens once.
/// @param layer  of no matter if is_shared()
/// @pre is_score_table(encoding.kind)
[[nodiscard]] ScoreTable score_table(const model::AttentionEncoding& encoding, const DistinctTokens& distinct,
                                     size_t layer, const Parameters& parameters, const model::Config& config);

}  // namespace summand::train
