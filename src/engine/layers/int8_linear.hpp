#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/kernels/arithmetic.hpp"
#include "engine/layers/aligned_buffer.hpp"
#include "engine/layers/column_blocks.hpp"
#include "engine/layers/packed_store.hpp"
#include "engine/layers/product_input.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// A dense layer with its weight in 8 bits, one scale per output, in panels of 16 columns. The bias stays in floats.
class Int8Linear {
 public:
  /// Stacks the layers `names` on top of each other, in the store, under the first one's name. Those that have column
  /// factors have the same.
  /// @throws CheckpointError if a weight or a bias is missing
  /// @throws ConfigError if the layers have more inputs than an exact sum can hold
  Int8Linear(const Int8Kernels& kernels, const model::Weights& weights, std::span<const std::string> names,
             PackedStore& store);

  [[nodiscard]] size_t in() const { return in_; }
  [[nodiscard]] size_t out() const { return out_; }
  /// Factor of each input before rounding, [in], or null for ones.
  [[nodiscard]] const float* input_factors() const { return factors_.data(); }

  /// Computes a block of columns for all rows.
  /// @param rows  in int8
  /// @param out   [rows, block.count], where the block's columns go
  void multiply(const Int8Kernels& kernels, const ProductRows& rows, Destination out, ColumnBlock block) const;

 private:
  size_t in_ = 0;
  size_t out_ = 0;
  size_t depth_ = 0;  // `in` as the layout pads it
  size_t weight_bytes_ = 1;
  AlignedBuffer<int8_t> panels_;
  AlignedFloats scales_;
  AlignedBuffer<int32_t> sums_;
  AlignedFloats bias_;
  AlignedFloats factors_;  // none where no weight was calibrated
};

}  // namespace summand::engine
