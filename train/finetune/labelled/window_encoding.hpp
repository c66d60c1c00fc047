#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <span>

#include "train/finetune/labelled/encoded_rows.hpp"
#include "train/network/dropout.hpp"
#include "train/network/network.hpp"

namespace summand::train {

/// The logits of rows by the model's transformer over windows. A row that is whole is one window.
/// @param network  of a model with a window_encoder
/// @param vectors  [windows, hidden], the last hidden states at [CLS] of batch_of() these rows
/// @param dropout  of window_places(); null: none
/// @return [rows, labels]
[[nodiscard]] at::Tensor encoded_windows(const Network& network, const at::Tensor& vectors,
                                         std::span<const EncodedRow> rows, std::span<const size_t> chosen,
                                         const Dropout* dropout);

/// Places that a row has in that transformer: its windows, and one before them.
[[nodiscard]] size_t window_places(const EncodedRow& row);

}  // namespace summand::train
