#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "summand/embeddings.hpp"
#include "summand/tokens.hpp"

namespace summand {

/// Which two pieces become one next, while a vocabulary is learned.
enum class MergeRule {
  likelihood,  ///< those with the largest count(ab) / (count(a) · count(b)): WordPiece, Schuster & Nakajima 2012
  frequency,   ///< those that most often stand side by side: BPE, as the WordPieceTrainer of `tokenizers` does it
};

/// How far learning has come.
struct VocabProgress {
  size_t texts = 0;    ///< that were read
  uint64_t words = 0;  ///< of these texts, each as often as it stands there
  size_t tokens = 0;   ///< that the vocabulary has so far; 0 while texts are read
};

/// How a vocabulary is learned.
struct VocabOptions {
  size_t size = 30000;                     ///< tokens at most, the five special ones among them
  MergeRule rule = MergeRule::likelihood;  ///< which two pieces become one next
  Lowercase lowercase = Lowercase::yes;    ///< whether letters lose their case and accents
  /// Two pieces that stand side by side fewer times stay two. None: 2 by frequency; by likelihood, which prefers rare
  /// pieces, it begins with the count of the most frequent pair and is halved whenever no pair is left, down to 2.
  std::optional<uint64_t> min_count = {};
  std::optional<size_t> alphabet = {};  ///< characters at most, the most frequent ones; none: all there are
  int threads = 0;                      ///< that count words; 0: as many as the process may keep busy
  /// Called after some texts, and after every merge. What it throws ends the run, which then leaves nothing, and comes
  /// out of it.
  std::function<void(const VocabProgress&)> on_step = {};
};

/// What learn_vocabulary() read and wrote.
struct VocabReport {
  std::filesystem::path out;       ///< the directory that was written
  size_t texts = 0;                ///< that were read
  uint64_t words = 0;              ///< of these texts, each as often as it stands there
  size_t distinct_words = 0;       ///< of these, different ones
  size_t characters = 0;           ///< in the alphabet
  size_t characters_left_out = 0;  ///< that VocabOptions::alphabet had no room for
  size_t tokens = 0;               ///< in the vocabulary; fewer than asked for where no pair of pieces was left
  int threads = 0;                 ///< that counted words
};

/// Learns a WordPiece vocabulary from texts and writes a tokenizer: `vocab.txt`, `tokenizer.json` and
/// `tokenizer_config.json`, which Tokenizer::load, `tokenizers` and `transformers` read alike. Ids: [PAD], [UNK],
/// [CLS], [SEP], [MASK] from 0 on, then the characters in the order of their code points, those that continue a word
/// behind ##, and what was merged, in that order. Words are BERT's: Chinese characters and punctuation are units. The
/// same texts give the same files, whatever the number of threads.
/// Memory holds the distinct words and the pairs of pieces in them, not the texts.
/// @param next  gives the texts; of a pair both count, of words already split each
/// @param out  a directory that does not exist or is empty; it appears whole or not at all
/// @param options  how large, by which rule, and who is told
/// @throws UsageError if a size, a count or an alphabet is 0, or the size above what a tokenizer reads
/// @throws TextError if the texts have no word
/// @throws ConfigError if the size has no room for the special tokens and the characters
/// @throws IoError if `out` is something else or cannot be written; and what `next` throws
VocabReport learn_vocabulary(const NextText& next, const std::filesystem::path& out, const VocabOptions& options = {});

}  // namespace summand
