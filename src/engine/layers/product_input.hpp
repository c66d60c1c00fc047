#pragma once

#include <cstddef>

#include "base/matrix_view.hpp"
#include "engine/kernels/arithmetic.hpp"
#include "engine/kernels/number_formats.hpp"
#include "engine/layers/aligned_buffer.hpp"

namespace summand::engine {

/// Rows as a product of one precision reads them; what belongs to the others is null.
struct ProductRows {
  size_t count = 0;
  size_t stride = 0;
  const float* floats = nullptr;
  const Half* rounded = nullptr;
  const uint8_t* bytes = nullptr;
  const RowCode* codes = nullptr;
};

/// Where a thread's or a group's rows lie on their way into a product. In fp32 they are floats and nothing else; in 16
/// bits they are rounded when they are written; in int8 they are floats until whole rows are there, then bytes. What a
/// product reads beyond a row's columns are zeros, or, of a part of a row, numbers of the next part, which meet zeros.
class ProductInput {
 public:
  /// Whether floats are needed besides the product's own format.
  enum class Floats { as_needed, always };

  /// @param precision  the arithmetic's own or its attention's
  void fit(const Arithmetic& arithmetic, Precision precision, size_t rows, size_t columns,
           Floats floats = Floats::as_needed);

  /// The rows as floats, [count, columns]; not in 16 bits, unless floats are there always.
  [[nodiscard]] MatrixView<float> floats(size_t begin, size_t count);
  [[nodiscard]] MatrixView<const float> floats(size_t begin, size_t count) const;
  /// Where rows from `begin` on are to be written: rounded in 16 bits, else floats.
  [[nodiscard]] Destination destination(size_t begin);
  /// The rows as numbers in 16 bits, [count, columns].
  [[nodiscard]] MatrixView<const Half> rounded(size_t begin, size_t count) const;
  /// The rows as the product reads them, once they are complete.
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
  AlignedBuffer<RowCode> codes_;
};

}  // namespace summand::engine
