#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <span>

#include "model/heads.hpp"
#include "summand/windows.hpp"
#include "train/finetune/labelled/encoded_rows.hpp"

namespace summand::train {

/// How the logits of a row's windows become its own.
struct WindowLogits {
  model::Head head = model::Head::sequence_classification;  ///< or token_classification
  WindowPooling pooling = WindowPooling::mean;              ///< not transformer
};

/// Combines the logits of each row's windows as the engine does, which sums in double: those of its texts, or those of
/// each of its tokens, which several windows may hold. Special tokens, which have no label, get any numbers.
/// @param logits  [windows or their tokens, labels], of batch_of() these rows
/// @return [rows or their tokens, labels]; the same tensor if no row has windows
[[nodiscard]] at::Tensor combine_windows(const at::Tensor& logits, std::span<const EncodedRow> rows,
                                         std::span<const size_t> chosen, const WindowLogits& how);

}  // namespace summand::train
