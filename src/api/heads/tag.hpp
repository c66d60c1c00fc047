#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "api/batches/record_batches.hpp"
#include "model/enum_names.hpp"
#include "summand/heads.hpp"

namespace summand {

// In the enumeration's namespace, for argument-dependent lookup.
[[nodiscard]] std::span<const model::EnumName<Aggregation>> enum_names(Aggregation);

}  // namespace summand

namespace summand::api {

using summand::Aggregation;
using summand::Range;
using summand::Tag;
using summand::TagOptions;

/// One text with the logits of its tokens.
struct TokenScores {
  TextView text;
  const text::Encoding& encoding;
  MatrixView<const float> logits;  ///< [tokens, labels]
};

/// The tags of one text. Added special tokens and tokens labelled "O" get none.
/// Source: transformers, pipelines/token_classification.py, gather_pre_entities, aggregate and group_entities
[[nodiscard]] std::vector<Tag> make_tags(const text::Tokenizer& tokenizer, const model::Labels& labels,
                                         const TokenScores& text, Aggregation aggregation);

/// The tags of every text, as from transformers' token-classification pipeline. Computes repeated texts once and counts
/// them in the batch.
/// @param batch  divided texts need KeepEncodings::of_divided_too
/// @throws ConfigError if the model has no token classification head; TextError naming a record that is a pair
[[nodiscard]] std::vector<std::vector<Tag>> tag(const LoadedModel& model, RecordBatch& batch,
                                                const TagOptions& options);

}  // namespace summand::api
