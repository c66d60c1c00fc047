#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/number_formats.hpp"
#include "model/attention/rotary.hpp"
#include "model/batch.hpp"
#include "model/config.hpp"

namespace summand::engine {

/// Rotates queries and keys where they lie, in models that tell attention positions or segments by rotary encodings.
/// Source: Su et al. 2021 (RoFormer), equation 34
class Rotations {
 public:
  explicit Rotations(const model::Config& config);

  /// What is rotated in rows of queries, keys and values side by side, [3 · hidden], or of queries alone.
  enum class Columns { queries_keys_values, queries };
  /// Rotates rows in place, in single precision; where they are rounded, each is rounded once more.
  /// @param rounding  not null where rows are rounded
  /// @param tokens  of the batch, which the rows are
  void rotate(const HalfKernels* rounding, const model::Batch& batch, std::span<const size_t> tokens, Columns columns,
              Destination rows) const;

 private:
  struct Rotation {
    model::Rotary rotary;
    model::EncodedInput input = model::EncodedInput::position;
    Matrix<float> cosines, sines;  // [positions or segments, head size / 2]

    [[nodiscard]] size_t parts(Columns columns) const;
  };

  void rotate_row(const Rotation& rotation, size_t position_or_segment, size_t heads, float* row) const;

  std::vector<Rotation> rotations_;
  size_t head_count_;
  size_t head_size_;
};

}  // namespace summand::engine
