#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/matrix_view.hpp"
#include "engine/kernels/number_formats.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/layers/aligned_buffer.hpp"
#include "engine/layers/column_blocks.hpp"
#include "engine/layers/packed_store.hpp"
#include "engine/layers/product_input.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// A dense layer, y = W·x + b, with W packed into panels of 16 columns once. Any block of its columns that begins on a
/// panel can be computed alone, with the same bits: that is how one text is shared out among threads.
class PackedLinear {
 public:
  /// Stacks the layers `names` (as in "encoder.layer.0.attention.self.query") on top of each other, so that one product
  /// computes them all, concatenated. Its weights are in the store, under the first one's name.
  /// @throws CheckpointError if a weight or a bias is missing
  PackedLinear(const model::Weights& weights, std::span<const std::string> names, PackedStore& store);

  /// One layer. @param weight  [out, in]  @param bias  [out]
  PackedLinear(const model::Tensor& weight, const model::Tensor& bias);

  /// One large layer, packed by several threads a block of rows at a time. Its numbers are copied out of a file, never
  /// mapped: they are wanted once, long after the file was opened.
  /// @throws IoError if the weight's file can no longer be read
  PackedLinear(const model::Tensor& weight, const model::Tensor& bias, int threads);

  [[nodiscard]] size_t in() const { return in_; }
  [[nodiscard]] size_t out() const { return out_; }
  [[nodiscard]] size_t blocks() const { return blocks_of(0, out_).last; }
  [[nodiscard]] ColumnBlock block(size_t index) const { return column_block(index, out_); }

  /// Computes a block of columns for all rows.
  /// @param rows  floats
  /// @param out   [rows, block.count], floats, where the block's columns go
  void multiply(const SinglePrecisionKernels& kernels, const ProductRows& rows, Destination out,
                ColumnBlock block) const;
  /// Computes a block for all rows.
  /// @param rows  [rows, in]
  /// @param out   [rows, out], of which only the block's columns are written
  void multiply(const SinglePrecisionKernels& kernels, MatrixView<const float> rows, MatrixView<float> out,
                ColumnBlock block) const;
  /// Computes all columns.
  void multiply(const SinglePrecisionKernels& kernels, MatrixView<const float> rows, MatrixView<float> out) const;

 private:
  void reserve(size_t out, size_t in);
  void pack(const model::Tensor& weight, const model::Tensor& bias, size_t first_column);

  size_t in_ = 0;
  size_t out_ = 0;
  AlignedFloats panels_;
  AlignedFloats bias_;
};

}  // namespace summand::engine
