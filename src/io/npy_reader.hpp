#pragma once

#include <filesystem>

#include "base/matrix.hpp"

namespace summand::io {

/// Reads a NumPy file of one matrix: float16, float32 or float64, little-endian, in either order, [rows, columns];
/// dimensions of 1 may stand before them.
/// @throws IoError if it cannot be read
/// @throws ConfigError naming the file, what was expected and what was got: another type or number of dimensions, a
///   header that is no header, more or less data than the shape needs, a size of 0, a number that is not finite
/// Source: numpy.lib.format, "Format Version 1.0" to "3.0"
[[nodiscard]] Matrix<double> read_npy(const std::filesystem::path& path);

}  // namespace summand::io
