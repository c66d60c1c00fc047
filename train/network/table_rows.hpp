#pragma once

#include <ATen/ATen.h>

namespace summand::train {

/// Rows of a trained table, where has_own_passes(table). The backward pass adds to the table's gradient in place if it
/// has one, so a table of a vocabulary needs no second gradient with zeros for all other tokens.
/// @param table  [rows, width], a parameter
/// @param indices  [count], int64
/// @return [count, width]
[[nodiscard]] at::Tensor table_rows(const at::Tensor& table, const at::Tensor& indices);

}  // namespace summand::train
