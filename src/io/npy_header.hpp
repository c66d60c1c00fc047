#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "model/enum_names.hpp"

namespace summand::io {

/// The numbers of a NumPy file, little-endian.
enum class NpyType { float16, float32, float64, int8, uint8 };

/// NumPy's own names: "<f4".
[[nodiscard]] std::span<const model::EnumName<NpyType>> enum_names(NpyType);

/// Bytes of one number.
[[nodiscard]] size_t size_of(NpyType type);

/// Which numbers a caller can do with.
enum class NpyNumbers {
  floating,  ///< float16, float32 and float64
  all,       ///< bytes too
};

/// In which order a file holds its matrix.
enum class NpyOrder { rows_first, columns_first };

/// The header of a NumPy file of one matrix.
struct NpyHeader {
  NpyType type = NpyType::float32;
  NpyOrder order = NpyOrder::rows_first;
  size_t rows = 0;
  size_t columns = 0;
  size_t data_begin = 0;  ///< bytes before the first number
};

/// @param file  the whole file
/// @param where  what messages call it
/// @throws ConfigError naming what was expected and what was got: another type or number of dimensions, a header that
///   is no header, more or less data than the shape needs
/// Source: numpy.lib.format, "Format Version 1.0" to "3.0"
[[nodiscard]] NpyHeader parse_npy(std::string_view file, NpyNumbers numbers, std::string_view where);

}  // namespace summand::io
