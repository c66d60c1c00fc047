#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "train/network/dropout_mask.hpp"

namespace summand::train {

/// Numbers that are added to scores and depend on both tokens, but not on their content: those of distances, say.
struct ScoreTable {
  at::Tensor values;         ///< [heads, rows, rows]: of a query with this row and a key with that one
  std::vector<int32_t> row;  ///< [tokens], each token's
};

/// How packed texts attend, each within itself.
struct PackedTexts {
  std::vector<size_t> offsets;  ///< [texts + 1], of tokens
  int64_t heads = 1;
  double scale = 1;                ///< of query · key
  bool causal = false;             ///< no query meets keys that come after it
  std::vector<DropoutMask> masks;  ///< [texts], of weights; none: no dropout

  [[nodiscard]] size_t texts() const { return offsets.size() - 1; }
  [[nodiscard]] int64_t begin(size_t text) const { return static_cast<int64_t>(offsets[text]); }
  [[nodiscard]] int64_t length(size_t text) const { return static_cast<int64_t>(offsets[text + 1] - offsets[text]); }
};

/// The index in its text's mask of the weight of key 0: those of the other keys follow.
[[nodiscard]] inline uint32_t mask_index(int64_t head, int64_t query, int64_t length) {
  return static_cast<uint32_t>((head * length + query) * length);
}

/// Dropout(softmax(scale · Q·Kᵀ + tables)) · V on a processor. One thread at a time works on one head of one text, in
/// memory of its own; of weights only the logarithms of their sums are kept, and the backward pass computes them, and
/// draws the mask, again. The same bits run after run with the same number of threads.
/// @param query, key, value  [tokens, heads · head size] in float, double or bf16, which is computed in float
/// @return [tokens, heads · head size], as `value`
/// Source: Vaswani et al. 2017, section 3.2.1; Dao et al. 2022, section 3.1 (what is kept)
[[nodiscard]] at::Tensor packed_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                          const PackedTexts& texts, const std::vector<ScoreTable>& tables = {});

}  // namespace summand::train
