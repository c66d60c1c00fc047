#pragma once

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>

namespace summand::train {

/// Rows are walked in blocks of this size, whatever the number of threads.
constexpr int64_t kBlockRows = 32;

[[nodiscard]] inline int64_t row_blocks(int64_t rows) {
  return (rows + kBlockRows - 1) / kBlockRows;
}

/// Calls walk(block, begin, end) for each block of rows, in parallel.
template <class Walk>
void for_each_row_block(int64_t rows, const Walk& walk) {
  at::parallel_for(0, row_blocks(rows), 1, [&](int64_t first, int64_t last) {
    for (int64_t block = first; block < last; ++block) {
      walk(block, block * kBlockRows, std::min(rows, (block + 1) * kBlockRows));
    }
  });
}

/// Sums over rows, gathered in each block apart and then added: the same bits for every number of threads.
class RowSums {
 public:
  RowSums(int64_t rows, int64_t width) : parts_(at::zeros({row_blocks(rows), width}, at::kFloat)) {}

  [[nodiscard]] float* of(int64_t block) const { return parts_.mutable_data_ptr<float>() + block * parts_.size(1); }
  [[nodiscard]] at::Tensor total() const { return parts_.sum(0); }

 private:
  at::Tensor parts_;
};

/// Adds the bias to each row. @param bias  [width], fp32. @param rows  [rows, width], fp32 or bf16, contiguous
void add_to_rows(const at::Tensor& bias, const at::Tensor& rows);

/// @param rows  [rows, width], fp32 or bf16, contiguous. @return [width], fp32
[[nodiscard]] at::Tensor sum_of_rows(const at::Tensor& rows);

/// A gradient that a backward pass may write over: itself if nothing else holds it and its rows lie behind one another,
/// else a copy.
[[nodiscard]] at::Tensor to_write_over(at::Tensor gradient);

/// Calls f with a null pointer to the type of a tensor's numbers, fp32 or bf16.
template <class F>
void with_number_type(const at::Tensor& tensor, const F& f) {
  if (tensor.scalar_type() == at::kBFloat16) {
    f(static_cast<c10::BFloat16*>(nullptr));
  } else {
    f(static_cast<float*>(nullptr));
  }
}

}  // namespace summand::train
