#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "base/matrix.hpp"
#include "io/npy_header.hpp"
#include "model/tensor.hpp"

namespace summand::io {

/// Reads a NumPy file of one matrix: float16, float32 or float64, little-endian, in either order, [rows, columns];
/// leading dimensions of 1 are allowed.
/// @throws IoError if it cannot be read
/// @throws ConfigError naming the file, what was expected and what was got: another type or number of dimensions, a
///   header that is no header, more or less data than the shape needs, a size of 0, a number that is not finite
/// Source: numpy.lib.format, "Format Version 1.0" to "3.0"
[[nodiscard]] Matrix<double> read_npy(const std::filesystem::path& path);

/// A matrix in a mapped file, row by row.
struct NpyRows {
  NpyType type = NpyType::float32;
  size_t rows = 0;
  size_t columns = 0;
  std::span<const std::byte> bytes;  ///< possibly unaligned
  /// Keeps `bytes` alive: the mapped file.
  std::shared_ptr<const model::TensorSource> source;
};

/// Maps a NumPy file of one row-major matrix, of any size and also of bytes.
/// @throws IoError or ConfigError as read_npy(), but for sizes of 0 and numbers that are not finite
[[nodiscard]] NpyRows map_npy(const std::filesystem::path& path, NpyNumbers numbers = NpyNumbers::all);

}  // namespace summand::io
