#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <vector>

namespace summand::train {

/// Scaled dot-product attention of packed texts, each within itself, all heads: softmax(scale · Q·Kᵀ)·V. Neighbouring
/// texts of the same length run together; there is no padding, and no text allocates a gradient of the batch's size.
/// @param query, key, value  [tokens, heads · head size]
/// @param offsets  [texts + 1] of tokens
/// @return [tokens, heads · head size]
/// Source: Dao et al. 2022, by libtorch's own kernels
[[nodiscard]] at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                          const std::vector<size_t>& offsets, int64_t heads, double scale);

}  // namespace summand::train
