#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "text/learning/pieces.hpp"
#include "text/learning/segmented_words.hpp"

namespace summand::text {

/// Pairs that stand side by side but once say nothing.
inline constexpr uint64_t kLeastCount = 2;

/// When merging ends, and who is told.
struct MergeLimits {
  size_t size = 0;                         ///< pieces at most
  std::optional<uint64_t> min_count = {};  ///< a pair that stands fewer times side by side is never merged
  std::function<void(size_t pieces)> on_merge = {};
};

/// Merges the most frequent pair again and again, as the WordPieceTrainer of `tokenizers` 0.23.3 does (it trains BPE):
/// of equally frequent ones the pair with the lower ids. Two of its habits matter where different pairs make the same
/// piece: a pair's count is not taken back when it is merged, so that it counts as more if it comes again, and where it
/// comes again is merged for itself, when its turn comes. Without a MergeLimits::min_count it is kLeastCount.
void merge_most_frequent(SegmentedWords& words, Pieces& pieces, const MergeLimits& limits);

/// Merges again and again the pair with the largest count(ab) / (count(a) · count(b)): by how much more often the two
/// stand side by side than they would by chance. Of equal ones the more frequent pair, then that with the lower ids.
/// Counts are those of the words as they are segmented by then; the ratio is computed in double precision.
/// It is largest of pieces that are rare and always together, which are many. So without a MergeLimits::min_count that
/// begins with the count of the most frequent pair, and is halved whenever no pair is left, down to kLeastCount: docs/
/// decisions/vocabulary.md has what that is good for.
/// Source: Schuster & Nakajima 2012, section 3; the score as in the Hugging Face course, chapter 6, "WordPiece
/// tokenization"
void merge_most_likely(SegmentedWords& words, Pieces& pieces, const MergeLimits& limits);

}  // namespace summand::text
