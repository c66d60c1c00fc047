#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "summand/matrix.hpp"

namespace summand {

/// How the numbers of sentence vectors are stored. All but the first two are those of sentence-transformers'
/// quantize_embeddings.
enum class VectorType {
  float32,  ///< as they were computed
  float16,  ///< rounded to nearest, ties to even
  int8,     ///< uint8 less 128
  uint8,    ///< one of 256 steps from a coordinate's smallest value to its largest
  binary,   ///< ubinary less 128
  ubinary,  ///< one bit for each coordinate, 1 where it is above zero; eight to a byte, the first the highest
};

/// The smallest and the largest value that every coordinate takes in some vectors.
struct VectorRanges {
  std::vector<float> least;    ///< [width]
  std::vector<float> largest;  ///< [width]
  size_t vectors = 0;          ///< that they were taken from
};

/// The ranges of vectors that stand for those to come. Taken of a matrix [2, width] of smallest and largest values they
/// are these values.
/// @param vectors  [vectors, width]
/// @throws UsageError if there is none, a number is not finite, or a coordinate's values lie further apart than a float
/// Source: sentence-transformers, util/quantization.py
[[nodiscard]] VectorRanges ranges_of(MatrixView<const float> vectors);

/// Vectors as they lie in a file.
/// @param vectors  [vectors, width]
/// @param type  what they become
/// @param ranges  for int8 and uint8, whose steps are ranges / 255 wide: values outside take the first step or the
/// last.
///   None: those of `vectors`, of which there must be two then. Other types do not read them
/// @return [vectors, bytes of a vector]: 4, 2 or 1 for each coordinate, little-endian; an eighth, rounded up, of bits
/// @throws UsageError if the ranges have another width, or none are given with a single vector; if a number is not
///   finite, or does not fit in float16
/// Source: sentence-transformers, util/quantization.py, quantize_embeddings; numpy's astype for float16
[[nodiscard]] Matrix<std::byte> quantize_vectors(MatrixView<const float> vectors, VectorType type,
                                                 const std::optional<VectorRanges>& ranges = {});

/// How convert_vectors() goes about it.
struct ConvertOptions {
  VectorType type = VectorType::float16;    ///< what the vectors become
  std::optional<VectorRanges> ranges = {};  ///< for int8 and uint8; none: those of the vectors themselves
};

/// Writes a NumPy file of vectors anew in another type, in constant memory. Of int8 and uint8 the ranges are written
/// beside it, as `OUT.ranges.npy`, float32 [2, width]: without them nobody can tell what the steps stand for.
/// @param from  float32, float16 or float64, [vectors, width]
/// @param out  another path; it appears whole or not at all
/// @param options  the type, and ranges
/// @return the ranges, where the type has any
/// @throws IoError or ConfigError if `from` is no such file, IoError if `out` cannot be written
/// @throws UsageError as quantize_vectors()
std::optional<VectorRanges> convert_vectors(const std::filesystem::path& from, const std::filesystem::path& out,
                                            const ConvertOptions& options);

}  // namespace summand
