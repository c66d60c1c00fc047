#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/attention/attend.hpp"
#include "model/batch.hpp"
#include "train/network/tensors.hpp"

namespace summand::train {

/// Texts that attend in one call: each puts its tokens into the same slots, whose position and segment are theirs. A
/// text has no more tokens than there are slots; some may stay empty.
struct SlotGroup {
  std::vector<size_t> texts;                  ///< of the batch
  std::vector<model::QueryKeyTokens> tokens;  ///< [encodings], each slot's
  std::vector<int32_t> index;                 ///< [texts, slots], of the token in its text; −1: empty

  [[nodiscard]] size_t slots() const { return index.size() / texts.size(); }
};

/// All texts of a batch, in groups, so that few calls serve all and few scores are computed in vain.
class TextSlots {
 public:
  /// @param config  whose encodings inside attention read a slot's position or segment
  TextSlots(const model::Config& config, const model::Batch& batch, const Placement& placement);

  [[nodiscard]] const std::vector<SlotGroup>& groups() const { return groups_; }

  /// @param rows  [tokens, width]
  /// @return of each group [texts, slots, width]; of empty slots, any rows
  [[nodiscard]] std::vector<at::Tensor> to_slots(const at::Tensor& rows) const;
  /// @param groups  as to_slots() returns them; what empty slots have is left out
  [[nodiscard]] at::Tensor from_slots(const std::vector<at::Tensor>& groups) const;

 private:
  std::vector<SlotGroup> groups_;
  at::Tensor token_;  // [all slots], token of the batch; of empty ones, the first
  at::Tensor empty_;  // [empty slots], their numbers
  at::Tensor slot_;   // [tokens], each one's
};

}  // namespace summand::train
