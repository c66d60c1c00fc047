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

/// @throws UsageError offering the choices
[[nodiscard]] VectorType vector_type_named(std::string_view name);

/// What NumPy calls the numbers of stored vectors.
[[nodiscard]] io::NpyType npy_type(VectorType type);
/// Numbers, not bytes, of a stored vector: its coordinates, or an eighth of them for bits.
[[nodiscard]] size_t stored_columns(VectorType type, size_t width);
/// Whether the type's steps need ranges.
[[nodiscard]] bool needs_ranges(VectorType type);

/// @throws UsageError if they are those of vectors of another width
void check_ranges(const VectorRanges& ranges, size_t width);
/// The smallest and the largest value of every coordinate, be they the same.
/// @throws UsageError without vectors, TextError naming the first number that is not finite
[[nodiscard]] VectorRanges find_ranges(MatrixView<const float> vectors);
/// @param vectors  that differ
/// @throws UsageError if there are too few to take ranges from themselves
void require_several(size_t vectors);

/// Tells ranges apart.
[[nodiscard]] uint64_t fingerprint(const VectorRanges& ranges);

/// How wide the steps are, [width]. Source: sentence-transformers, util/quantization.py
[[nodiscard]] std::vector<float> step_widths(const VectorRanges& ranges);

/// Vectors from the middle of others.
struct VectorBatch {
  MatrixView<const float> vectors;
  size_t first = 0;                   ///< the index of its first vector among all, for messages
  std::string_view name = "vectors";  ///< what messages call them
};
/// summand::quantize_vectors of some.
/// @param ranges  of their width if the type needs them
[[nodiscard]] Matrix<std::byte> quantize(const VectorBatch& batch, VectorType type, const VectorRanges& ranges);

/// Appends the numbers of a stored vector with commas between them: integers of bytes, of floats the shortest that read
/// back to the same number.
void append_numbers(std::string& text, std::span<const std::byte> row, VectorType type);

}  // namespace api

}  // namespace summand
