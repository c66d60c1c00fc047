#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace summand::train {

/// Rows, and the table with which they are multiplied to give the logits of every token.
struct VocabularyProduct {
  at::Tensor rows;   ///< [predicted, hidden]
  at::Tensor table;  ///< [vocabulary, hidden]
  at::Tensor bias;   ///< [vocabulary]
};

/// Cross-entropies of some rows.
struct VocabularyLoss {
  double sum = 0;      ///< nats
  uint64_t right = 0;  ///< rows whose target is the most likely token
  at::Tensor of_rows;  ///< gradient of scale · sum with respect to the rows, in product_type()
};

/// Adds the gradients of scale · Σ cross-entropy to those of table and bias, where has_own_passes(table). Logits are
/// computed for some rows at a time and turn into their gradient where they lie; the table's gradient is added to in
/// place.
/// @param targets  [predicted], int64
[[nodiscard]] VocabularyLoss add_vocabulary_gradients(const VocabularyProduct& product, const at::Tensor& targets,
                                                      double scale);

}  // namespace summand::train
