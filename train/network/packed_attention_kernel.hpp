#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "train/network/packed_attention.hpp"

namespace summand::train {

/// Arguments of packed_attention(), columns of rows next to each other; tables are in double if `value` is, else in
/// float.
struct AttentionInput {
  const at::Tensor& query;
  const at::Tensor& key;
  const at::Tensor& value;
  at::TensorList tables;
  const PackedTexts& texts;
  const std::vector<std::vector<int32_t>>& table_rows;  ///< [tables][tokens]
};

struct AttentionResult {
  at::Tensor context;   ///< as `value`
  at::Tensor log_sums;  ///< [heads, tokens]
};
[[nodiscard]] AttentionResult attention_forward(const AttentionInput& input);

struct AttentionGradients {
  at::Tensor query, key, value;
  std::vector<at::Tensor> tables;  ///< undefined where none is wanted
};
/// @param gradient  at the result
/// @param wanted  tables whose gradients are asked for
[[nodiscard]] AttentionGradients attention_backward(const AttentionInput& input, const at::Tensor& log_sums,
                                                    const at::Tensor& gradient, const std::vector<bool>& wanted);

}  // namespace summand::train
