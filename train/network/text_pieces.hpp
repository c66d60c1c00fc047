#pragma once

#include <ATen/Parallel.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "train/network/packed_attention.hpp"

namespace summand::train {

/// One head of one text.
struct TextHead {
  size_t text = 0;
  int64_t head = 0;
};

/// All heads of all texts in pieces of about the same work, one for each thread; head after head, so that few pieces
/// share a head. Depends on the texts and the number of threads alone.
class TextPieces {
 public:
  explicit TextPieces(const PackedTexts& texts);

  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(begins_.size()) - 1; }
  /// Heads that a piece has texts of: first, and behind the last.
  [[nodiscard]] std::pair<int64_t, int64_t> heads(int64_t piece) const;
  /// Calls work(piece) for all, on all threads.
  template <class Work>
  void run(const Work& work) const {
    at::parallel_for(0, count(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) work(piece);
    });
  }
  /// Calls each(head of a text) for all of one piece, in order.
  template <class Each>
  void for_heads(int64_t piece, const Each& each) const {
    const auto at = static_cast<size_t>(piece);
    for (int64_t i = begins_[at]; i < begins_[at + 1]; ++i) {
      each(TextHead{.text = static_cast<size_t>(i % texts_), .head = i / texts_});
    }
  }

 private:
  int64_t texts_;
  std::vector<int64_t> begins_;  // [pieces + 1], head · texts + text
};

}  // namespace summand::train
