#include "text/learning/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "text/learning/merges.hpp"
#include "text/learning/pieces.hpp"
#include "text/learning/segmented_words.hpp"
#include "text/tokenizer_files.hpp"
#include "text/word_piece.hpp"

namespace summand::text {

namespace {

bool is_too_long(const CountedWord& word) {
  const auto starts_character = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; };
  const auto characters = std::ranges::count_if(word.word, starts_character);
  return static_cast<size_t>(characters) > WordPieceSettings{}.max_input_chars_per_word;
}

void check_size(const Pieces& pieces, const Alphabet& alphabet, size_t size) {
  if (pieces.size() <= size) return;
  const size_t characters = alphabet.characters.size();
  const size_t continuing = pieces.size() - kSpecialTokens.size() - characters;
  throw ConfigError("vocabulary",
                    fmt::format("expected a size of at least {} ({} special tokens, {} characters, {} of them also "
                                "behind ##) or a smaller alphabet, got {}",
                                pieces.size(), kSpecialTokens.size(), characters, continuing, size));
}

void merge(SegmentedWords& words, Pieces& pieces, const LearningSettings& settings) {
  const MergeLimits limits{.size = settings.size, .min_count = settings.min_count, .on_merge = settings.on_merge};
  switch (settings.rule) {
    case MergeRule::likelihood:
      return merge_most_likely(words, pieces, limits);
    case MergeRule::frequency:
      return merge_most_frequent(words, pieces, limits);
  }
}

}  // namespace

LearnedVocabulary learn_vocabulary(std::vector<CountedWord> words, const LearningSettings& settings) {
  if (settings.rule == MergeRule::likelihood) std::erase_if(words, is_too_long);
  Pieces pieces;
  for (const std::string_view token : kSpecialTokens) pieces.add(token);
  const Alphabet alphabet = most_frequent_characters(words, settings.alphabet);
  SegmentedWords segmented(words, alphabet, pieces);
  check_size(pieces, alphabet, settings.size);
  words = {};  // they are as large as what follows
  merge(segmented, pieces, settings);
  return {pieces.list(), alphabet.characters.size(), alphabet.left_out};
}

}  // namespace summand::text
