#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "text/learning/counted_words.hpp"
#include "text/learning/pieces.hpp"

namespace summand::text {

/// The current segmentation of all words, in one list. A merge shortens a word in place.
class SegmentedWords {
 public:
  /// Splits every word into characters, all but the first with ##; characters outside the alphabet are dropped.
  /// @param pieces  receives the characters of the alphabet, then those with ## in order of first occurrence
  SegmentedWords(std::span<const CountedWord> words, const Alphabet& alphabet, Pieces& pieces);

  [[nodiscard]] size_t size() const { return words_.size(); }
  [[nodiscard]] int64_t count(size_t word) const { return words_[word].count; }
  [[nodiscard]] std::span<const uint32_t> pieces(size_t word) const {
    return std::span(pieces_).subspan(words_[word].begin, words_[word].length);
  }

  /// Replaces every occurrence of the pair by `merged`, from left to right.
  /// @param change  called with each neighbouring pair that disappears, and -1, or appears, and 1; not with `pair`
  /// @return number of merged pairs
  template <class Change>
  int64_t merge(size_t word, PiecePair pair, uint32_t merged, const Change& change) {
    uint32_t* const piece = pieces_.data() + words_[word].begin;
    const uint32_t length = words_[word].length;
    int64_t merges = 0;
    uint32_t kept = 0;
    for (uint32_t at = 0; at < length; ++kept) {
      if (at + 1 == length || piece[at] != pair.left || piece[at + 1] != pair.right) {
        piece[kept] = piece[at++];
        continue;
      }
      at += 2;
      ++merges;
      if (kept > 0) {
        change(PiecePair{piece[kept - 1], pair.left}, -1);
        change(PiecePair{piece[kept - 1], merged}, 1);
      }
      if (at < length) {
        change(PiecePair{pair.right, piece[at]}, -1);
        change(PiecePair{merged, piece[at]}, 1);
      }
      piece[kept] = merged;
    }
    words_[word].length = kept;
    return merges;
  }

 private:
  struct Word {
    size_t begin = 0;  ///< in pieces_
    uint32_t length = 0;
    int64_t count = 0;
  };

  std::vector<uint32_t> pieces_;
  std::vector<Word> words_;
};

}  // namespace summand::text
