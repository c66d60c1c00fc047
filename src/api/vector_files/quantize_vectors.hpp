#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix.hpp"
#include "io/npy_header.hpp"
#include "model/enum_names.hpp"
#include "summand/vectors.hpp"

namespace summand {

[[nodiscard]] std::span<const model::EnumName<VectorType>> enum_names(VectorType);

namespace api {

using summand::VectorRanges;
using summand::VectorType;

/// @throws UsageError listing the choices
[[nodiscard]] VectorType vector_type_named(std::string_view name);

/// The NumPy type of stored vectors.
[[nodiscard]] io::NpyType npy_type(VectorType type);
/// Numbers per stored vector: its coordinates, or an eighth of them for bits.
[[nodiscard]] size_t stored_columns(VectorType type, size_t width);
/// Whether the type needs ranges.
[[nodiscard]] bool needs_ranges(VectorType type);

/// @throws UsageError if they have another width
void check_ranges(const VectorRanges& ranges, size_t width);
/// The smallest and the largest value of every coordinate; they may be equal.
/// @throws UsageError without vectors, TextError naming the first number that is not finite
[[nodiscard]] VectorRanges find_ranges(MatrixView<const float> vectors);
/// @param vectors  number of distinct vectors
/// @throws UsageError if there are too few to take ranges from
void require_several(size_t vectors);

/// A hash of the ranges.
[[nodiscard]] uint64_t fingerprint(const VectorRanges& ranges);

/// Widths of the steps, [width]. Source: sentence-transformers, util/quantization.py
[[nodiscard]] std::vector<float> step_widths(const VectorRanges& ranges);

/// Some consecutive vectors of a larger set.
struct VectorBatch {
  MatrixView<const float> vectors;
  size_t first = 0;                   ///< index of its first vector in the set, for messages
  std::string_view name = "vectors";  ///< of the set, for messages
};
/// summand::quantize_vectors() for a batch.
/// @param ranges  required if the type needs them
[[nodiscard]] Matrix<std::byte> quantize(const VectorBatch& batch, VectorType type, const VectorRanges& ranges);

/// Appends the numbers of a stored vector, separated by commas: integers, or the shortest decimals that read back to
/// the same float.
void append_numbers(std::string& text, std::span<const std::byte> row, VectorType type);

}  // namespace api

}  // namespace summand
