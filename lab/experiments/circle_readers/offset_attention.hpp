#pragma once

#include <cstddef>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "engine/engine.hpp"
#include "lab/experiments/circle_readers/windows.hpp"
#include "lab/probing/results.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab::circle_readers {

inline constexpr size_t kReach = 32;  // offsets are looked at one by one so far to either side

/// Attention by offset of one window: of its words alone, special tokens being neither sources nor targets. Heads of
/// all layers stand below each other. Column kReach + 1 + k is offset k; the first and the last hold all farther ones.
struct OffsetAttention {
  Table attention;  ///< [heads, offsets], the mean over words of the attention that goes so far; rows sum to 1
  /// [heads, offsets], the mean scaled logit at an offset, each word's own mean taken away; farther ones are 0
  Table logits;
};

/// What a model makes of the windows.
struct WindowRun {
  std::vector<OffsetAttention> windows;
  Table vectors;  ///< [windows, hidden]
};

/// On this thread alone: may be called from a task.
/// @param positions  rows in the place of the model's
[[nodiscard]] WindowRun run_windows(const engine::Engine& engine, const Windows& windows, const Table& positions,
                                    SentenceVector vector);

/// How far one run's heads are from another's.
struct HeadEffects {
  Table attention = {};              ///< [windows, heads], the share of attention that goes elsewhere: total variation
  Table logits = {};                 ///< [windows, heads], root mean square over offsets, in nats
  std::vector<double> vectors = {};  ///< [windows], 1 − cosine
  Table mean_attention = {};         ///< [heads, offsets], of the changed run, over windows
};

[[nodiscard]] HeadEffects effects_of(const WindowRun& changed, const WindowRun& undisturbed);
/// Over windows. @return [heads, offsets]
[[nodiscard]] Table mean_attention(const WindowRun& run);

}  // namespace summand::lab::circle_readers
