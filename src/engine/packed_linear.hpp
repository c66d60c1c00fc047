#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/matrix_view.hpp"
#include "engine/aligned_floats.hpp"
#include "engine/kernels.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// Columns [begin, begin + count) of a product's output.
struct ColumnBlock {
  size_t begin = 0;
  size_t count = 0;
};

/// A dense layer, y = W·x + b, with W packed into panels of 16 columns once. Any block of its columns that begins on a
/// panel can be computed alone, with the same bits: that is how one text is shared out among threads.
class PackedLinear {
 public:
  /// Columns of one block(): some panels, few enough to share a small product out.
  static constexpr size_t kBlockColumns = 6 * kPanelWidth;

  /// Stacks the layers `names` (as in "encoder.layer.0.attention.self.query") on top of each other, so that one product
  /// computes them all, side by side.
  /// @throws CheckpointError if a weight or a bias is missing
  PackedLinear(const model::Weights& weights, std::span<const std::string> names);

  /// One layer. @param weight  [out, in]  @param bias  [out]
  PackedLinear(const model::Tensor& weight, const model::Tensor& bias);

  [[nodiscard]] size_t in() const { return in_; }
  [[nodiscard]] size_t out() const { return out_; }
  [[nodiscard]] size_t blocks() const { return (out_ + kBlockColumns - 1) / kBlockColumns; }
  [[nodiscard]] ColumnBlock block(size_t index) const;
  /// The blocks that hold columns [begin, end), as [first, last).
  struct Blocks {
    size_t first = 0;
    size_t last = 0;
  };
  [[nodiscard]] static Blocks blocks_of(size_t begin, size_t end);

  /// Computes a block for all rows.
  /// @param rows  [rows, in]
  /// @param out   [rows, out], of which only the block's columns are written
  void multiply(const KernelTable& kernels, MatrixView<const float> rows, MatrixView<float> out,
                ColumnBlock block) const;
  /// Computes all columns.
  void multiply(const KernelTable& kernels, MatrixView<const float> rows, MatrixView<float> out) const;

 private:
  void reserve(size_t out, size_t in);
  void pack(const model::Tensor& weight, const model::Tensor& bias, size_t first_column);

  size_t in_ = 0;
  size_t out_ = 0;
  AlignedFloats panels_;
  AlignedFloats bias_;
};

}  // namespace summand::engine
