#include "train/network/row_sums.hpp"

#include "train/network/float_math.hpp"
#include "train/network/instruction_sets.hpp"

namespace summand::train {

namespace {

template <class Number>
[[gnu::always_inline]] inline void add_bias(const float* __restrict bias, Number* __restrict row, int64_t width) {
  for (int64_t i = 0; i < width; ++i) store(to_float(row[i]) + bias[i], row + i);
}

template <class Number>
[[gnu::always_inline]] inline void add_row(const Number* __restrict row, float* __restrict sums, int64_t width) {
  for (int64_t i = 0; i < width; ++i) sums[i] += to_float(row[i]);
}

SUMMAND_FOR_INSTRUCTION_SETS
void add_bias_to(const float* bias, float* rows, int64_t count, int64_t width) {
  for (int64_t row = 0; row < count; ++row) add_bias(bias, rows + row * width, width);
}

SUMMAND_FOR_INSTRUCTION_SETS
void add_bias_to(const float* bias, c10::BFloat16* rows, int64_t count, int64_t width) {
  for (int64_t row = 0; row < count; ++row) add_bias(bias, rows + row * width, width);
}

SUMMAND_FOR_INSTRUCTION_SETS
void add_up(const float* rows, float* sums, int64_t count, int64_t width) {
  for (int64_t row = 0; row < count; ++row) add_row(rows + row * width, sums, width);
}

SUMMAND_FOR_INSTRUCTION_SETS
void add_up(const c10::BFloat16* rows, float* sums, int64_t count, int64_t width) {
  for (int64_t row = 0; row < count; ++row) add_row(rows + row * width, sums, width);
}

}  // namespace

void add_to_rows(const at::Tensor& bias, const at::Tensor& rows) {
  const int64_t width = rows.size(1);
  const float* const terms = bias.const_data_ptr<float>();
  with_number_type(rows, [&]<class Number>(Number*) {
    Number* const numbers = rows.mutable_data_ptr<Number>();
    for_each_row_block(rows.size(0), [&](int64_t, int64_t begin, int64_t end) {
      add_bias_to(terms, numbers + begin * width, end - begin, width);
    });
  });
}

at::Tensor sum_of_rows(const at::Tensor& rows) {
  const int64_t width = rows.size(1);
  const RowSums sums(rows.size(0), width);
  with_number_type(rows, [&]<class Number>(Number*) {
    const Number* const numbers = rows.const_data_ptr<Number>();
    for_each_row_block(rows.size(0), [&](int64_t block, int64_t begin, int64_t end) {
      add_up(numbers + begin * width, sums.of(block), end - begin, width);
    });
  });
  return sums.total();
}

at::Tensor to_write_over(at::Tensor gradient) {
  const bool alone = gradient.use_count() == 1 && gradient.storage().use_count() == 1;
  return alone && gradient.is_contiguous() ? gradient : gradient.clone(at::MemoryFormat::Contiguous);
}

}  // namespace summand::train
