#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/core/figure.hpp"

namespace summand::lab {

/// The matrix as a PNG with one pixel a cell, row 0 at the top.
/// @throws std::length_error if it has no cell, or not rows × columns values
[[nodiscard]] std::vector<uint8_t> png_of(const MatrixData& matrix);

enum class CellBytes : uint8_t { one = 1, two = 2 };

/// A matrix in one or two bytes a cell: value = low + step · code; the largest code, 255 or 65535, is a missing value.
/// The error is at most step / 2.
struct QuantisedMatrix {
  double low = 0;
  double step = 0;
  std::vector<uint8_t> bytes;  ///< little endian
};
[[nodiscard]] QuantisedMatrix quantised(const MatrixData& matrix, CellBytes cell_bytes);

}  // namespace summand::lab
