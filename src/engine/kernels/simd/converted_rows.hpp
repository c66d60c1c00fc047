#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/product_kernel.hpp"

namespace summand::engine::simd {

/// Int8ProductTask with rows and weights of the type that the product's instruction reads.
template <class RowNumber, class Weight>
struct ConvertedTask {
  using Row = RowNumber;

  const Row* rows;
  size_t row_stride;
  const RowQuantization* codes;
  size_t row_count;
  size_t depth;
  const Weight* panels;
  const float* column_scales;
  const int32_t* column_sums;
  const float* bias;
  size_t columns;
  Destination out;
};

/// Some rows at a time are converted, then all panels pass them.
/// @param panels   the task's, as the product reads them
/// @param convert  convert(from, depth, to): a row's bytes as the product reads them
template <class Kind, class V, size_t Rows, class Weight, class Convert>
void converted_product(const Int8ProductTask& task, const Weight* panels, Convert convert) {
  alignas(64) typename Kind::Task::Row room[kLargestInt8Depth];
  const size_t fit = kLargestInt8Depth / task.depth;
  const size_t most = fit < Rows ? fit : Rows;
  for (size_t first = 0; first < task.row_count; first += most) {
    const size_t count = task.row_count - first < most ? task.row_count - first : most;
    for (size_t row = 0; row < count; ++row) {
      convert(task.rows + (first + row) * task.row_stride, task.depth, room + row * task.depth);
    }
    product<Kind, V, Rows, 1>({room, task.depth, task.codes + first, count, task.depth, panels, task.column_scales,
                               task.column_sums, task.bias, task.columns, from_row(task.out, first)});
  }
}

}  // namespace summand::engine::simd
