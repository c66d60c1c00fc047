#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/kernels/arithmetic.hpp"
#include "engine/layers/aligned_buffer.hpp"
#include "engine/layers/column_blocks.hpp"
#include "engine/layers/packed_store.hpp"
#include "engine/layers/product_input.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// A dense layer with its weight rounded to 16 bits, in panels of 16 columns. The bias stays in floats.
class HalfLinear {
 public:
  /// Stacks the layers `names` on top of each other, in the store, under the first one's name.
  /// @throws CheckpointError if a weight or a bias is missing
  /// @throws UsageError if a weight is beyond the range of the 16 bits
  HalfLinear(const HalfKernels& kernels, const model::Weights& weights, std::span<const std::string> names,
             PackedStore& store);

  [[nodiscard]] size_t in() const { return in_; }
  [[nodiscard]] size_t out() const { return out_; }

  /// Computes a block of columns for all rows.
  /// @param rows  in 16 bits
  /// @param out   [rows, block.count], where the block's columns go
  void multiply(const HalfKernels& kernels, const ProductRows& rows, Destination out, ColumnBlock block) const;

 private:
  size_t in_ = 0;
  size_t out_ = 0;
  size_t depth_ = 0;  // `in` as the layout pads it
  AlignedBuffer<Half> panels_;
  AlignedFloats bias_;
};

}  // namespace summand::engine
