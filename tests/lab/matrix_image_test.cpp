#include "lab/report/matrix_image.hpp"

#include <doctest/doctest.h>
#include <png.h>

#include <cmath>
#include <limits>

#include "lab/report/colour_map.hpp"

using namespace summand::lab;

namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr MatrixData::Scale kScales[] = {MatrixData::Scale::sequential, MatrixData::Scale::diverging,
                                         MatrixData::Scale::ternary};

MatrixData matrix(size_t rows, size_t columns, std::vector<float> values) {
  MatrixData result;
  result.rows = rows;
  result.columns = columns;
  result.values = std::move(values);
  result.low = -2;
  result.high = 1;
  return result;
}

// What another program sees: libpng's reader, not our writer.
std::vector<Colour> pixels_of(const std::vector<uint8_t>& png, size_t rows, size_t columns) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&image, png.data(), png.size()) != 0);
  CHECK(image.width == columns);
  CHECK(image.height == rows);
  image.format = PNG_FORMAT_RGB;
  std::vector<uint8_t> bytes(PNG_IMAGE_SIZE(image));
  REQUIRE(png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr) != 0);
  std::vector<Colour> pixels;
  for (size_t i = 0; i < bytes.size(); i += 3) pixels.push_back({bytes[i], bytes[i + 1], bytes[i + 2]});
  return pixels;
}

// Relative luminance; source: WCAG 2.2.
double luminance(Colour colour) {
  const auto linear = [](uint8_t byte) {
    const double part = byte / 255.0;
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

}  // namespace

TEST_CASE("a cell's pixel has the colour of its value, row after row") {
  const auto data = matrix(2, 3, {-2, 0, 2, 1, kMissing, -5});
  const auto pixels = pixels_of(png_of(data), 2, 3);
  const auto& points = control_points(MatrixData::Scale::diverging);
  REQUIRE(pixels.size() == 6);
  CHECK(pixels[0] == points.front());
  CHECK(pixels[1] == points[points.size() / 2]);
  CHECK(pixels[2] == points.back());  // about 0 as far up as down
  CHECK(luminance(pixels[3]) < luminance(pixels[1]));
  CHECK(luminance(pixels[3]) > luminance(pixels[2]));
  CHECK(pixels[4] == Colour{0x80, 0x80, 0x80});
  CHECK(pixels[5] == points.front());  // beyond the end
}

TEST_CASE("every scale begins and ends with its control points") {
  for (const auto scale : kScales) {
    const auto table = colour_table(scale);
    CHECK(table[0] == control_points(scale).front());
    CHECK(table[254] == control_points(scale).back());
  }
}

TEST_CASE("sequential colours grow lighter all along, diverging ones towards the middle: readable without hue") {
  const auto sequential = colour_table(MatrixData::Scale::sequential);
  for (size_t i = 2; i < 255; ++i) CHECK(luminance(sequential[i]) > luminance(sequential[i - 2]));  // of 8 bits
  const auto diverging = colour_table(MatrixData::Scale::diverging);
  for (size_t i = 1; i <= 127; ++i) {
    CHECK(luminance(diverging[i]) >= luminance(diverging[i - 1]));
    CHECK(luminance(diverging[254 - i]) >= luminance(diverging[255 - i]));
  }
}

TEST_CASE("ternary has three colours: at or below low, between, at or above high") {
  auto data = matrix(1, 5, {-2, -1.999F, 0.999F, 1, 7});
  data.scale = MatrixData::Scale::ternary;
  const auto pixels = pixels_of(png_of(data), 1, 5);
  const auto& three = control_points(MatrixData::Scale::ternary);
  CHECK(pixels == std::vector<Colour>{three[0], three[1], three[1], three[2], three[2]});
}

TEST_CASE("a quantised value is at most half a step off, and a missing one stays missing") {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(std::sin(static_cast<float>(i)) * 37.5F + 3);
  values[17] = kMissing;
  for (const auto bytes : {CellBytes::one, CellBytes::two}) {
    const auto codes = quantised(matrix(10, 100, values), bytes);
    const size_t size = bytes == CellBytes::two ? 2 : 1;
    const int missing = bytes == CellBytes::two ? 65535 : 255;
    REQUIRE(codes.bytes.size() == size * 1000);
    for (size_t i = 0; i < values.size(); ++i) {
      const int code = size == 2 ? codes.bytes[2 * i] | codes.bytes[2 * i + 1] << 8 : codes.bytes[i];
      CHECK((code == missing) == (i == 17));
      // A thousandth of a step for the rounding of double.
      if (i != 17)
        CHECK(std::abs(codes.low + codes.step * code - static_cast<double>(values[i])) <= 0.501 * codes.step);
    }
  }
  CHECK(quantised(matrix(1, 2, {4, 4}), CellBytes::two).low == 4);
  CHECK(quantised(matrix(1, 2, {4, 4}), CellBytes::two).step == 0);
}

TEST_CASE("a matrix without its cells is refused") {
  CHECK_THROWS_WITH_AS(static_cast<void>(png_of(matrix(2, 2, {1, 2, 3}))), "a matrix of 2 × 2 with 3 values",
                       std::length_error);
  CHECK_THROWS_AS(static_cast<void>(quantised(matrix(0, 2, {}), CellBytes::two)), std::length_error);
}
