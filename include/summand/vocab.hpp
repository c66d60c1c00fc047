#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "summand/embeddings.hpp"
#include "summand/tokens.hpp"

namespace summand {

/// Which pair of pieces to merge next while learning a vocabulary.
enum class MergeRule {
  likelihood,  ///< the largest count(ab) / (count(a) · count(b)): WordPiece, Schuster & Nakajima 2012
  frequency,   ///< the most frequent pair: BPE, as in the WordPieceTrainer of `tokenizers`
};

/// Progress of learn_vocabulary().
struct VocabProgress {
  size_t texts = 0;    ///< read so far
  uint64_t words = 0;  ///< in these texts, with repetitions
  size_t tokens = 0;   ///< in the vocabulary so far; 0 while reading texts
};

/// Options of learn_vocabulary().
struct VocabOptions {
  size_t size = 30000;                     ///< tokens at most, the five special ones included
  MergeRule rule = MergeRule::likelihood;  ///< which pair to merge next
  Lowercase lowercase = Lowercase::yes;    ///< whether to lowercase letters and strip accents
  /// Rarer pairs are not merged. None: 2 for frequency. For likelihood, which prefers rare pieces, the bound starts at
  /// the count of the most frequent pair and is halved whenever no pair is left, down to 2.
  std::optional<uint64_t> min_count = {};
  std::optional<size_t> alphabet = {};  ///< characters at most, the most frequent ones; none: all
  int threads = 0;  ///< for counting words; 0: as many as the cgroup quota and the CPU affinity allow
  /// Called after some texts and after every merge. An exception from it ends the run, which then writes nothing, and
  /// propagates.
  std::function<void(const VocabProgress&)> on_step = {};
};

/// Result of learn_vocabulary().
struct VocabReport {
  std::filesystem::path out;       ///< the new directory
  size_t texts = 0;                ///< that were read
  uint64_t words = 0;              ///< in these texts, with repetitions
  size_t distinct_words = 0;       ///< without repetitions
  size_t characters = 0;           ///< in the alphabet
  size_t characters_left_out = 0;  ///< beyond VocabOptions::alphabet
  size_t tokens = 0;               ///< in the vocabulary; fewer than `size` if no pair was left
  int threads = 0;                 ///< that counted words
};

/// Learns a WordPiece vocabulary from texts and writes a tokenizer: `vocab.txt`, `tokenizer.json` and
/// `tokenizer_config.json`, which Tokenizer::load, `tokenizers` and `transformers` read the same way. Ids: [PAD],
/// [UNK], [CLS], [SEP], [MASK] from 0, then the characters by code point, then characters with ##, then merged pieces
/// in merge order. Words are BERT's: each Chinese character and punctuation mark is a word. The same texts give the
/// same files with any number of threads. Memory holds the distinct words and their pairs of pieces, not the texts.
/// @param next  returns the texts; both texts of a pair count, and each pre-split word
/// @param out  a directory that does not exist or is empty; it appears whole or not at all
/// @param options  size, merge rule, progress callback
/// @throws UsageError if a size, a count or an alphabet is 0, or the size exceeds what a tokenizer reads
/// @throws TextError if the texts have no word
/// @throws ConfigError if the size has no room for the special tokens and the characters
/// @throws IoError if `out` is something else or cannot be written; and whatever `next` throws
VocabReport learn_vocabulary(const NextText& next, const std::filesystem::path& out, const VocabOptions& options = {});

}  // namespace summand
