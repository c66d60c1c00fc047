#pragma once

#include <cstddef>
#include <vector>

#include "model/batch.hpp"

namespace summand::engine {

/// Rows per product: a panel's activations and its intermediate rows fit in the second-level cache.
inline constexpr size_t kPanelRows = 128;

/// Whole texts computed together: Schedule::texts[begin] … [end - 1].
struct Group {
  size_t begin = 0;
  size_t end = 0;
  size_t tokens = 0;
};

/// How threads share the work.
enum class Sharing {
  one_thread_each,    ///< each group runs on one thread, from the embeddings to the last layer
  all_threads_share,  ///< all threads share every step of one group after the other
};

/// A batch divided into groups. The division does not affect the bits of results.
struct Schedule {
  std::vector<size_t> texts;      ///< group by group, each longest first; texts without tokens are left out
  std::vector<size_t> first_row;  ///< [texts], where each begins within its group
  std::vector<Group> groups;      ///< of schedule(): the longest texts come first
  Sharing sharing = Sharing::one_thread_each;
  size_t longest_text = 0;
  size_t largest_group = 0;  ///< in tokens
  size_t most_texts = 0;     ///< in one group
};

/// Groups of up to kPanelRows tokens, or of one longer text, and smaller ones where otherwise threads would have
/// nothing to do. If one text exceeds a thread's fair share, all threads share every group.
[[nodiscard]] Schedule schedule(const model::Batch& batch, int threads);

/// One group per text with tokens, in order.
[[nodiscard]] Schedule one_text_at_a_time(const model::Batch& batch);

}  // namespace summand::engine
