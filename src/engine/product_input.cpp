#include "engine/product_input.hpp"

#include "base/assert.hpp"
#include "engine/rounding.hpp"

namespace summand::engine {

void ProductInput::fit(Precision precision, size_t rows, size_t columns, Floats floats) {
  precision_ = precision;
  columns_ = columns;
  if (precision != Precision::bf16 || floats == Floats::always) floats_.fit(rows * columns);
  switch (precision) {
    case Precision::fp32:
      stride_ = columns;
      return;
    case Precision::bf16:
      stride_ = rounded_up(columns, kBf16PerStep);
      rounded_.fit(rows * stride_);
      return;
    case Precision::int8:
      stride_ = rounded_up(columns, kBytesPerStep);
      bytes_.fit(rows * stride_);
      codes_.fit(rows);
      return;
  }
}

MatrixView<float> ProductInput::floats(size_t begin, size_t count) {
  SUMMAND_ASSERT(floats_.data() != nullptr);
  return {floats_.data() + begin * columns_, count, columns_};
}

MatrixView<const float> ProductInput::floats(size_t begin, size_t count) const {
  SUMMAND_ASSERT(floats_.data() != nullptr);
  return {floats_.data() + begin * columns_, count, columns_};
}

Destination ProductInput::destination(size_t begin) {
  if (precision_ == Precision::bf16) return {.rounded = rounded_.data() + begin * stride_, .stride = stride_};
  return {.floats = floats_.data() + begin * columns_, .stride = columns_};
}

MatrixView<const Bf16> ProductInput::rounded(size_t begin, size_t count) const {
  SUMMAND_ASSERT(precision_ == Precision::bf16);
  return {rounded_.data() + begin * stride_, count, columns_, stride_};
}

ProductRows ProductInput::rows(size_t begin, size_t count) const {
  switch (precision_) {
    case Precision::fp32:
      return {.count = count, .stride = stride_, .floats = floats_.data() + begin * stride_};
    case Precision::bf16:
      return {.count = count, .stride = stride_, .rounded = rounded_.data() + begin * stride_};
    case Precision::int8:
      return {
          .count = count, .stride = stride_, .bytes = bytes_.data() + begin * stride_, .codes = codes_.data() + begin};
  }
  __builtin_unreachable();
}

void ProductInput::convert(const Arithmetic& arithmetic, size_t begin, size_t count) {
  switch (precision_) {
    case Precision::fp32:
      return;
    case Precision::bf16:
      return arithmetic.bf16->round({.values = floats_.data() + begin * columns_,
                                     .stride = columns_,
                                     .row_count = count,
                                     .columns = columns_,
                                     .out = rounded_.data() + begin * stride_,
                                     .out_stride = stride_});
    case Precision::int8:
      return arithmetic.int8->quantise({.values = floats_.data() + begin * columns_,
                                        .stride = columns_,
                                        .row_count = count,
                                        .columns = columns_,
                                        .out = bytes_.data() + begin * stride_,
                                        .out_stride = stride_,
                                        .codes = codes_.data() + begin});
  }
}

}  // namespace summand::engine
