#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random_stream.hpp"
#include "base/range.hpp"
#include "model/enum_names.hpp"
#include "train/data/token_file.hpp"

namespace summand::train {

/// Choice of the second text.
enum class Pairs {
  none,  ///< no second text
  /// The continuation of the first, or text of another document: Devlin et al. 2019. The latter in half of the pairs,
  /// and always if one sentence fills the sequence, which is more common with short sequences.
  next_sentence,
  sentence_order  ///< the continuation of the first; half of the pairs are swapped: Lan et al. 2020
};
[[nodiscard]] std::span<const model::EnumName<Pairs>> enum_names(Pairs);

/// How to cut documents into examples.
struct ExampleRules {
  size_t length = 128;  ///< most tokens of a sequence, special tokens included
  Pairs pairs = Pairs::none;
  /// Share of sequences with a random shorter length, from 2 tokens, so that the model sees short texts too; pairs as
  /// far as their sentences allow.
  double short_share = 0.1;
};

/// Hugging Face's labels of next-sentence prediction.
inline constexpr int32_t kFollows = 0;
inline constexpr int32_t kFollowsNot = 1;

/// A training sequence, without its special tokens.
struct Example {
  Range first;            ///< tokens of the file
  Range second = {};      ///< likewise; empty without a pair
  int32_t label = -1;     ///< kFollows or kFollowsNot; -1 without a pair
  uint64_t document = 0;  ///< of the first text
  uint64_t place = 0;     ///< index in its document; with `document` it keys the example's random draws

  [[nodiscard]] size_t tokens() const { return first.size() + second.size(); }
};

/// Number of special tokens in a sequence: [CLS] a [SEP], or [CLS] a [SEP] b [SEP].
[[nodiscard]] size_t special_tokens_of(Pairs pairs);

/// Cuts a document into sequences of as many sentences as fit; a sentence that is too long is cut into pieces. As in
/// BERT, pairs are divided at random between two sentences and truncated at random ends, from the longer text.
/// @param stream  keyed by document and epoch
/// @pre rules.length has room for two tokens besides the special ones
/// Source: google-research/bert, create_pretraining_data.py, create_instances_from_document
[[nodiscard]] std::vector<Example> cut_examples(const TokenFile& file, uint64_t document, const ExampleRules& rules,
                                                RandomStream& stream);

}  // namespace summand::train
