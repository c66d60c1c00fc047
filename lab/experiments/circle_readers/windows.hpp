#pragma once

#include <cstddef>

#include "base/random_stream.hpp"
#include "lab/probing/texts.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::circle_readers {

inline constexpr size_t kLeastWords = 32;   // of a window: fewer show little of a circle
inline constexpr size_t kLeastWindows = 6;  // fewer have no interval to speak of

/// Stretches of the corpus, all of one length, each in its [CLS] and [SEP]. No word is in two of them.
struct Windows {
  Texts texts = {};
  size_t front = 0;  ///< special tokens before the words
  size_t words = 0;  ///< of each window

  [[nodiscard]] size_t count() const { return texts.batch.texts(); }
  /// Tokens of each, special ones too.
  [[nodiscard]] size_t length() const { return count() == 0 ? 0 : texts.batch.length(0); }
};

/// As long as BERT's short sequences, or as the table and the corpus allow; none where that is less than kLeastWords or
/// there are fewer than kLeastWindows.
/// @param most  windows
[[nodiscard]] Windows windows_of(const Subject& subject, size_t most, RandomStream& stream);

/// The first ones alone. @param count  at most as many as there are
[[nodiscard]] Windows first_of(const Windows& windows, size_t count);

}  // namespace summand::lab::circle_readers
