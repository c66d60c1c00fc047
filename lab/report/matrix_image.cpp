#include "lab/report/matrix_image.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "lab/report/colour_map.hpp"

namespace summand::lab {
namespace {

void check(const MatrixData& matrix) {
  if (matrix.rows * matrix.columns == 0 || matrix.values.size() != matrix.rows * matrix.columns) {
    throw std::length_error(
        fmt::format("a matrix of {} × {} with {} values", matrix.rows, matrix.columns, matrix.values.size()));
  }
}

}  // namespace

std::vector<uint8_t> png_of(const MatrixData& matrix) {
  check(matrix);
  std::vector<uint8_t> pixels(matrix.values.size());
  std::ranges::transform(matrix.values, pixels.begin(), [&](float value) { return colour_index(matrix, value); });
  std::vector<uint8_t> colours;
  for (const auto& [red, green, blue] : colour_table(matrix.scale)) colours.insert(colours.end(), {red, green, blue});

  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(matrix.columns);
  image.height = static_cast<png_uint_32>(matrix.rows);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 256;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<uint8_t> png(size);
  if (png_image_write_to_memory(&image, png.data(), &size, 0, pixels.data(), 0, colours.data()) == 0) {
    throw std::runtime_error(fmt::format("libpng: {}", image.message));
  }
  png.resize(size);
  return png;
}

QuantisedMatrix quantised(const MatrixData& matrix, CellBytes cell_bytes) {
  check(matrix);
  const bool two = cell_bytes == CellBytes::two;
  const uint16_t missing = two ? 65535 : 255;
  float low = std::numeric_limits<float>::infinity();
  float high = -low;
  for (const float value : matrix.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  QuantisedMatrix result;
  if (low <= high) {
    result.low = static_cast<double>(low);
    result.step = (static_cast<double>(high) - result.low) / (missing - 1);
  }
  for (const float value : matrix.values) {
    const double code = result.step > 0 ? (static_cast<double>(value) - result.low) / result.step : 0;
    const auto bits = std::isfinite(value) ? static_cast<uint16_t>(std::lround(code)) : missing;
    result.bytes.push_back(static_cast<uint8_t>(bits & 255));
    if (two) result.bytes.push_back(static_cast<uint8_t>(bits >> 8));
  }
  return result;
}

}  // namespace summand::lab
