#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "summand/vocab.hpp"
#include "text/learning/counted_words.hpp"

namespace summand::text {

/// Options for learning pieces from counted words.
struct LearningSettings {
  size_t size = 0;  ///< tokens at most, special ones included
  MergeRule rule = MergeRule::likelihood;
  std::optional<uint64_t> min_count = {};  ///< see MergeLimits; at least 1
  size_t alphabet = 0;                     ///< characters at most
  std::function<void(size_t tokens)> on_merge = {};
};

/// The tokens of a vocabulary, by id, with the counts of the alphabet.
struct LearnedVocabulary {
  std::vector<std::string> tokens;
  size_t characters = 0;
  size_t characters_left_out = 0;
};

/// Special tokens, characters, merges. The likelihood rule skips words with too many characters, which are
/// [UNK] for every tokenizer; the frequency rule counts them, as `tokenizers` does.
/// @param words  in the order of their bytes, which decides the ids of characters behind ##
/// @throws ConfigError if the size has no room for the special tokens and the characters
[[nodiscard]] LearnedVocabulary learn_vocabulary(std::vector<CountedWord> words, const LearningSettings& settings);

}  // namespace summand::text
