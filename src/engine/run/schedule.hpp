#pragma once

#include <cstddef>
#include <vector>

#include "model/batch.hpp"

namespace summand::engine {

/// Rows that pass through a product at a time: a panel's activations and the intermediate rows it makes stay in the
/// second-level cache.
inline constexpr size_t kPanelRows = 128;

/// Whole texts that are computed together: Schedule::texts[begin] … [end - 1].
struct Group {
  size_t begin = 0;
  size_t end = 0;
  size_t tokens = 0;
};

/// Who computes a group.
enum class Sharing {
  one_thread_each,    ///< each group has a thread of its own from the embeddings to the last layer
  all_threads_share,  ///< one group after the other, every step of it shared out
};

/// A batch divided into groups. Which text lies in which group changes no bit of its result.
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
/// nothing to do. Where one text outweighs what a thread's fair share is, all threads share.
[[nodiscard]] Schedule schedule(const model::Batch& batch, int threads);

/// A group of its own for every text that has tokens, in their order.
[[nodiscard]] Schedule one_text_at_a_time(const model::Batch& batch);

}  // namespace summand::engine
