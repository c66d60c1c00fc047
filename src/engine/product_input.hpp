#pragma once

#include <cstddef>

#include "base/matrix_view.hpp"
#include "engine/aligned_buffer.hpp"
#include "engine/arithmetic.hpp"
#include "engine/number_formats.hpp"

namespace summand::engine {

/// Rows as a product of one precision reads them; what belongs to the others is null.
struct ProductRows {
  size_t count = 0;
  size_t stride = 0;
  const float* floats = nullptr;
  const Bf16* rounded = nullptr;
  const uint8_t* bytes = nullptr;
  const RowCode* codes = nullptr;
};

/// Where a thread's or a group's rows lie on their way into a product. In fp32 they are floats and nothing else; in
/// bf16 they are rounded when they are written; in int8 they are floats until whole rows are there, then bytes.
class ProductInput {
 public:
  /// Whether floats are wanted beside what the product reads.
  enum class Floats { as_needed, always };

  void fit(Precision precision, size_t rows, size_t columns, Floats floats = Floats::as_needed);

  /// The rows as floats, [count, columns]; not in bf16, unless floats are there always.
  [[nodiscard]] MatrixView<float> floats(size_t begin, size_t count);
  [[nodiscard]] MatrixView<const float> floats(size_t begin, size_t count) const;
  /// Where rows from `begin` on are to be written: rounded in bf16, else floats.
  [[nodiscard]] Destination destination(size_t begin);
  /// The rows as numbers in bf16, [count, columns].
  [[nodiscard]] MatrixView<const Bf16> rounded(size_t begin, size_t count) const;
  /// The rows as the product reads them, once they are complete.
  [[nodiscard]] ProductRows rows(size_t begin, size_t count) const;

  /// Makes what the product reads from the floats of some whole rows; in fp32 nothing.
  void convert(const Arithmetic& arithmetic, size_t begin, size_t count);

  [[nodiscard]] Precision precision() const { return precision_; }

 private:
  Precision precision_ = Precision::fp32;
  size_t columns_ = 0;
  size_t stride_ = 0;  // of the numbers that the product reads
  AlignedBuffer<float> floats_;
  AlignedBuffer<Bf16> rounded_;
  AlignedBuffer<uint8_t> bytes_;
  AlignedBuffer<RowCode> codes_;
};

}  // namespace summand::engine
