#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/record_batches.hpp"
#include "model/enum_names.hpp"

namespace summand::api {

/// How the labels of tokens become tags.
enum class Aggregation {
  none,     ///< a tag for every token
  simple,   ///< neighbouring tokens with one label make one tag
  first,    ///< the same of words, whose label is that of their first token
  average,  ///< the same of words, whose scores are the mean of their tokens'
  max,      ///< the same of words, whose label is that of their surest token
};

[[nodiscard]] std::span<const model::EnumName<Aggregation>> enum_names(Aggregation);

/// Places [begin, end).
struct Range {
  size_t begin = 0;
  size_t end = 0;
  [[nodiscard]] bool operator==(const Range&) const = default;
};

/// A stretch of a text with its label.
struct Tag {
  std::string label;  ///< without B- and I- where tokens were put together
  double score = 0;   ///< mean over the tokens or words that were put together
  std::string word;   ///< its tokens as text
  Range bytes;        ///< of the text; of words already split, of the words with one space between them
  Range tokens;       ///< among the text's tokens, specials counted
  Range words;        ///< of words already split, which; else as the tokenizer splits the text
};

/// One text with the label scores of its tokens.
struct TokenScores {
  const text::InputRecord& record;
  const text::Encoding& encoding;
  MatrixView<const float> logits;  ///< [tokens, labels]
};

/// The tags of one text. Special tokens around it have none, and neither has what is labelled "O".
/// Source: transformers, pipelines/token_classification.py, gather_pre_entities, aggregate and group_entities
[[nodiscard]] std::vector<Tag> tags_of(const text::Tokenizer& tokenizer, const model::Labels& labels,
                                       const TokenScores& text, Aggregation aggregation);

/// The tags of every text, as transformers' token-classification pipeline gives them.
/// @throws ConfigError if the model has no token classification head; TextError naming a record that is a pair
[[nodiscard]] std::vector<std::vector<Tag>> tag(const LoadedModel& model, const RecordBatch& batch,
                                                Aggregation aggregation);

}  // namespace summand::api
