#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "summand/matrix.hpp"

namespace summand {

/// Number type of stored sentence vectors. All but float16 are also in sentence-transformers' quantize_embeddings.
enum class VectorType {
  float32,  ///< as computed
  float16,  ///< rounded to nearest, ties to even
  int8,     ///< uint8 less 128
  uint8,    ///< one of 256 steps from a coordinate's smallest value to its largest
  binary,   ///< ubinary less 128
  ubinary,  ///< one bit per coordinate, 1 if positive; eight to a byte, the first in the highest bit
};

/// The smallest and the largest value of every coordinate over a set of vectors.
struct VectorRanges {
  std::vector<float> least;    ///< [width]
  std::vector<float> largest;  ///< [width]
  size_t vectors = 0;          ///< size of that set
};

/// The ranges of a sample of vectors, for quantising others like them. A matrix [2, width] of smallest and largest
/// values gives back these values.
/// @param vectors  [vectors, width]
/// @throws UsageError if there is no vector, a number is not finite, or a coordinate's range overflows a float
/// Source: sentence-transformers, util/quantization.py
[[nodiscard]] VectorRanges ranges_of(MatrixView<const float> vectors);

/// Converts vectors to a number type, as bytes of a file.
/// @param vectors  [vectors, width]
/// @param type  the number type
/// @param ranges  for int8 and uint8: a step is range / 255 wide, values outside take the first or the last step. None:
///   the ranges of `vectors`, which must then be at least two. Other types ignore them
/// @return [vectors, bytes of a vector]: 4, 2 or 1 per coordinate, little-endian; for bits an eighth, rounded up
/// @throws UsageError if the ranges have another width, or are missing for a single vector; if a number is not finite,
///   or does not fit in float16
/// Source: sentence-transformers, util/quantization.py, quantize_embeddings; numpy's astype for float16
[[nodiscard]] Matrix<std::byte> quantize_vectors(MatrixView<const float> vectors, VectorType type,
                                                 const std::optional<VectorRanges>& ranges = {});

/// Options of convert_vectors().
struct ConvertOptions {
  VectorType type = VectorType::float16;    ///< the new number type
  std::optional<VectorRanges> ranges = {};  ///< for int8 and uint8; none: those of the vectors
};

/// Converts a NumPy file of vectors to another number type, in constant memory. For int8 and uint8 it also writes the
/// ranges to `OUT.ranges.npy`, float32 [2, width]: decoding needs them.
/// @param from  float32, float16 or float64, [vectors, width]
/// @param out  another path; it appears whole or not at all
/// @param options  the type and its ranges
/// @return the ranges, if the type has any
/// @throws IoError or ConfigError if `from` is not such a file, IoError if `out` cannot be written
/// @throws UsageError as quantize_vectors()
std::optional<VectorRanges> convert_vectors(const std::filesystem::path& from, const std::filesystem::path& out,
                                            const ConvertOptions& options);

}  // namespace summand
