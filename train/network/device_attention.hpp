#pragma once

#include <ATen/ATen.h>

#include "train/network/packed_attention.hpp"

namespace summand::train {

/// Attention of packed texts by libtorch's own kernels, on any device: without dropout, tables or a causal mask.
/// Neighbouring texts of one length run together.
/// @param query, key, value  [tokens, heads · head size]
/// @return likewise
[[nodiscard]] at::Tensor device_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                          const PackedTexts& texts);

}  // namespace summand::train
