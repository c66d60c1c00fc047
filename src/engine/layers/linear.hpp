#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "base/matrix_view.hpp"
#include "engine/kernels/arithmetic.hpp"
#include "engine/layers/column_blocks.hpp"
#include "engine/layers/half_linear.hpp"
#include "engine/layers/int8_linear.hpp"
#include "engine/layers/packed_linear.hpp"
#include "engine/layers/packed_store.hpp"
#include "engine/layers/product_input.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// A dense layer of the encoder, y = W·x + b, packed for the products of one precision. Any block of its columns can be
/// computed alone, with the same bits: that is how one text is shared out among threads.
class Linear {
 public:
  /// Stacks the layers `names` on top of each other, so that one product computes them all, side by side. Its weights
  /// lie in the store.
  /// @throws CheckpointError if a weight or a bias is missing
  Linear(const Arithmetic& arithmetic, const model::Weights& weights, std::span<const std::string> names,
         PackedStore& store);

  [[nodiscard]] size_t in() const;
  [[nodiscard]] size_t out() const;
  /// Factors for a row before rounding to bytes, [in], or null: see Int8Linear.
  [[nodiscard]] const float* input_factors() const;
  [[nodiscard]] size_t blocks() const { return blocks_of(0, out()).last; }
  [[nodiscard]] ColumnBlock block(size_t index) const { return column_block(index, out()); }

  /// Computes a block of columns for all rows.
  /// @param rows  [rows, in], in the precision that the layer is packed for
  /// @param out   [rows, block.count], where the block's columns go
  void multiply(const Arithmetic& arithmetic, const ProductRows& rows, Destination out, ColumnBlock block) const;
  /// All columns, in single precision.
  void multiply(const Arithmetic& arithmetic, MatrixView<const float> rows, MatrixView<float> out) const;

 private:
  std::variant<PackedLinear, HalfLinear, Int8Linear> packed_;
};

}  // namespace summand::engine
