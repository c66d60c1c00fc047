#include "engine/layers/product_input.hpp"

#include "base/assert.hpp"
#include "engine/kernels/rounding.hpp"

namespace summand::engine {

void ProductInput::fit(const Arithmetic& arithmetic, Precision precision, size_t rows, size_t columns, Floats floats) {
  precision_ = precision;
  columns_ = columns;
  padded_ = columns;
  const bool half = is_half(precision);
  if (!half || floats == Floats::always) floats_.fit(rows * columns);
  if (half) {
    const PanelLayout layout = arithmetic.half->layout;
    padded_ = layout.depth(columns);
    rounded_.fit(rows * padded_ + layout.depth_multiple);  // the last row's last part, a head, may be padded too
  } else if (precision == Precision::int8) {
    padded_ = arithmetic.int8->layout.depth(columns);
    bytes_.fit(rows * padded_);
    codes_.fit(rows);
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
  if (is_half(precision_)) return {.rounded = rounded_.data() + begin * padded_, .stride = padded_};
  return {.floats = floats_.data() + begin * columns_, .stride = columns_};
}

MatrixView<const Half> ProductInput::rounded(size_t begin, size_t count) const {
  SUMMAND_ASSERT(is_half(precision_));
  return {rounded_.data() + begin * padded_, count, columns_, padded_};
}

ProductRows ProductInput::rows(size_t begin, size_t count) const {
  switch (precision_) {
    case Precision::fp32:
      return {.count = count, .stride = padded_, .floats = floats_.data() + begin * padded_};
    case Precision::bf16:
    case Precision::fp16:
      return {.count = count, .stride = padded_, .rounded = rounded_.data() + begin * padded_};
    case Precision::int8:
      return {
          .count = count, .stride = padded_, .bytes = bytes_.data() + begin * padded_, .codes = codes_.data() + begin};
  }
  __builtin_unreachable();
}

void ProductInput::convert(const Arithmetic& arithmetic, size_t begin, size_t count, const float* factors) {
  switch (precision_) {
    case Precision::fp32:
      return;
    case Precision::bf16:
    case Precision::fp16:
      return arithmetic.half->round({.values = floats_.data() + begin * columns_,
                                     .stride = columns_,
                                     .row_count = count,
                                     .columns = columns_,
                                     .padded = padded_,
                                     .out = rounded_.data() + begin * padded_,
                                     .out_stride = padded_});
    case Precision::int8:
      return arithmetic.int8->quantise({.values = floats_.data() + begin * columns_,
                                        .stride = columns_,
                                        .row_count = count,
                                        .columns = columns_,
                                        .padded = padded_,
                                        .out = bytes_.data() + begin * padded_,
                                        .out_stride = padded_,
                                        .codes = codes_.data() + begin,
                                        .factors = factors});
  }
}

}  // namespace summand::engine
