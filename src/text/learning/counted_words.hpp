#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/learning/string_hash.hpp"
#include "text/normalizer.hpp"

namespace summand::text {

/// A word as WordPiece gets it, and its count.
struct CountedWord {
  std::string word;
  uint64_t count = 0;
  [[nodiscard]] bool operator==(const CountedWord&) const = default;
};

/// Calls `take` with each word of a text: normalised, split at white space, punctuation a word of its own, as
/// WordSplitter finds them. Special tokens that are written out in the text are words like others.
/// @param text  valid UTF-8 that refuse_long_text() lets pass
void for_each_word(std::string_view text, const NormalizerSettings& settings,
                   const std::function<void(std::string_view word)>& take);

/// Counts the words of texts. Memory holds one copy of every distinct word per thread.
class WordCounts {
 public:
  /// @param threads  for counting; no effect on the counts
  WordCounts(const NormalizerSettings& settings, int threads);

  /// Counts the words of some texts.
  /// @param texts  any bytes; invalid UTF-8 reads as U+FFFD
  /// @throws TextError for a text of 1.4 GB or more
  void add(std::span<const std::string> texts);

  /// Number of words so far, with repetitions.
  [[nodiscard]] uint64_t total() const;

  /// All distinct words in byte order. Ends the counting.
  [[nodiscard]] std::vector<CountedWord> sorted() &&;

 private:
  using Counts = std::unordered_map<std::string, uint64_t, StringHash, std::equal_to<>>;
  struct Counter {
    Counts counts;
    uint64_t total = 0;
    void add(std::string_view text, const NormalizerSettings& settings);
  };

  NormalizerSettings settings_;
  std::vector<Counter> counters_;  ///< one per thread
};

}  // namespace summand::text
