#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "model/tensor.hpp"

namespace summand::engine {

/// Largest table, in bytes of F32, that is read directly from the mapped file. Rows of a larger one are copied from the
/// file on demand, and no page stays in memory.
///
/// Between the token tables of two common sizes, [30522, 384] of 44.7 MiB and [30522, 768] of 89.4 MiB. A copied row
/// costs about a microsecond: too much for a small model's 0.2 ms per token, little for a larger one's
/// 1.5 ms. A table that is read in place comes into memory whole after a few texts where the system keeps files in
/// large pages, and the larger one would be a quarter of all the weights.
inline constexpr size_t kLargestTableInMemory = size_t{48} << 20U;

/// A table of rows: in memory, which a mapped file counts as, or left in the file.
class EmbeddingTable {
 public:
  /// A table of aligned F32 is read in place, one that is left in its file by copying rows, and any other is converted
  /// once.
  /// @param tensor             [rows, width]
  /// @param largest_in_memory  bytes of a table in F32 above which it is left in the file
  EmbeddingTable(const model::Tensor& tensor, size_t largest_in_memory);
  /// A table in memory.
  explicit EmbeddingTable(const Matrix<double>& values);

  /// All rows; nothing if they are left in the file.
  [[nodiscard]] std::optional<std::span<const float>> in_memory() const;

  /// @param to  [width]
  /// @throws IoError if the row is left in a file that can no longer be read
  void copy_row(size_t index, std::span<float> to) const;

 private:
  /// Storage of the rows.
  enum class Place {
    in_tensor,  ///< aligned floats in `tensor_`
    converted,  ///< floats in `converted_`
    in_file,    ///< in `tensor_`, to be copied row by row
  };

  Place place_;
  size_t width_;
  model::Tensor tensor_;  // keeps the rows alive, unless they were converted
  std::vector<float> converted_;
};

}  // namespace summand::engine
