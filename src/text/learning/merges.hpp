#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "text/learning/pieces.hpp"
#include "text/learning/segmented_words.hpp"

namespace summand::text {

/// A pair that occurs once carries no information.
inline constexpr uint64_t kLeastCount = 2;

/// When to stop merging, and the progress callback.
struct MergeLimits {
  size_t size = 0;                         ///< pieces at most
  std::optional<uint64_t> min_count = {};  ///< rarer pairs are never merged
  std::function<void(size_t pieces)> on_merge = {};
};

/// Repeatedly merges the most frequent pair, as the WordPieceTrainer of `tokenizers` 0.23.3 does (it trains BPE); ties
/// go to the lower ids. Two of its habits matter if different pairs make the same piece: a merged pair's count is not
/// reset, so it grows if the pair occurs again, and a new occurrence is merged separately in its turn.
/// MergeLimits::min_count defaults to kLeastCount.
void merge_most_frequent(SegmentedWords& words, Pieces& pieces, const MergeLimits& limits);

/// Repeatedly merges the pair with the largest count(ab) / (count(a) · count(b)): how much more often the two are
/// neighbours than by chance. Ties go to the more frequent pair, then to the lower ids. Counts follow the current
/// segmentation; the ratio is in double precision. The ratio favours rare pieces that always occur together, and there
/// are many. So by default MergeLimits::min_count starts at the count of the most frequent pair and is halved whenever
/// no pair is left, down to kLeastCount: see docs/decisions/vocabulary.md. Source: Schuster & Nakajima 2012, section 3;
/// the score as in the Hugging Face course, chapter 6, "WordPiece tokenization"
void merge_most_likely(SegmentedWords& words, Pieces& pieces, const MergeLimits& limits);

}  // namespace summand::text
