#pragma once

#include <ATen/ATen.h>

#include "train/network/packed_attention.hpp"
#include "train/network/text_slots.hpp"

namespace summand::train {

/// Dropout(softmax(scores)) of a group's texts, where no query meets an empty slot, nor, if `causal`, a key that comes
/// after it; rows of empty slots are 0. The mask is packed_attention()'s.
/// @param scores  [texts of the group, heads, slots, slots]
/// @param texts  of the whole batch
/// @return likewise; in float, of scores in bf16
[[nodiscard]] at::Tensor slot_weights(const at::Tensor& scores, const SlotGroup& group, const PackedTexts& texts);

/// The same by libtorch's operations, on any device.
[[nodiscard]] at::Tensor slot_weights_by_tensors(const at::Tensor& scores, const SlotGroup& group,
                                                 const PackedTexts& texts);

}  // namespace summand::train
