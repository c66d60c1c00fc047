#pragma once

#include <cstddef>

#include "base/matrix_view.hpp"
#include "engine/kernels/arithmetic.hpp"
#include "engine/kernels/number_formats.hpp"
#include "engine/layers/aligned_buffer.hpp"

namespace summand::engine {

/// Rows in the format of a product; pointers for other precisions are null.
struct ProductRows {
  size_t count = 0;
  size_t stride = 0;
  const float* floats = nullptr;
  const Half* rounded = nullptr;
  const uint8_t* bytes = nullptr;
  const RowQuantization* codes = nullptr;
};

/// Buffer of a thread's or a group's rows before a product. In fp32 they are floats; in 16 bits they are rounded on
/// writing; in int8 they are floats until rows are complete, then bytes. Past a row's columns a product reads zeros,
/// or, for a part of a row, numbers of the next part, which it multiplies by zeros.
class ProductInput {
 public:
  /// Whether floats are needed besides the product's own format.
  enum class Floats { as_needed, always };

  /// @param precision  the arithmetic's own or its attention's
  void fit(const Arithmetic& arithmetic, Precision precision, size_t rows, size_t columns,
           Floats floats = Floats::as_needed);

  /// The rows as floats, [count, columns]; in 16 bits only if floats are always kept.
  [[nodiscard]] MatrixView<float> floats(size_t begin, size_t count);
  [[nodiscard]] MatrixView<const float> floats(size_t begin, size_t count) const;
  /// The destination of rows from `begin` on: rounded in 16 bits, else floats.
  [[nodiscard]] Destination destination(size_t begin);
  /// The rows as numbers in 16 bits, [count, columns].
  [[nodiscard]] MatrixView<const Half> rounded(size_t begin, size_t count) const;
  /// The complete rows, in the product's format.
  [[nodiscard]] ProductRows rows(size_t begin, size_t count) const;

  /// Converts the floats of some whole rows to the product's format; does nothing in fp32.
  /// @param factors  of the product that reads them, as Linear::input_factors
  void convert(const Arithmetic& arithmetic, size_t begin, size_t count, const float* factors);

  [[nodiscard]] Precision precision() const { return precision_; }

 private:
  Precision precision_ = Precision::fp32;
  size_t columns_ = 0;
  size_t padded_ = 0;  // columns of the numbers that the product reads
  AlignedBuffer<float> floats_;
  AlignedBuffer<Half> rounded_;
  AlignedBuffer<uint8_t> bytes_;
  AlignedBuffer<RowQuantization> codes_;
};

}  // namespace summand::engine
