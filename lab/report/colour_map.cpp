#include "lab/report/colour_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace summand::lab {
namespace {

constexpr uint8_t kLast = 254;
constexpr uint8_t kMissing = 255;
constexpr Colour kGrey{0x80, 0x80, 0x80};

uint8_t between(uint8_t from, uint8_t to, double part) {
  return static_cast<uint8_t>(std::lround(from + part * (to - from)));
}

Colour between(Colour from, Colour to, double part) {
  return {between(from.red, to.red, part), between(from.green, to.green, part), between(from.blue, to.blue, part)};
}

}  // namespace

std::string hexadecimal(Colour colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

const std::vector<Colour>& control_points(MatrixData::Scale scale) {
  static const std::vector<Colour> viridis{
      {0x44, 0x01, 0x54}, {0x48, 0x28, 0x78}, {0x3e, 0x4a, 0x89}, {0x31, 0x68, 0x8e}, {0x26, 0x82, 0x8e},
      {0x1f, 0x9e, 0x89}, {0x35, 0xb7, 0x79}, {0x6d, 0xcd, 0x59}, {0xb4, 0xde, 0x2c}, {0xfd, 0xe7, 0x25}};
  static const std::vector<Colour> blue_to_red{{0x05, 0x30, 0x61}, {0x21, 0x66, 0xac}, {0x43, 0x93, 0xc3},
                                               {0x92, 0xc5, 0xde}, {0xd1, 0xe5, 0xf0}, {0xf7, 0xf7, 0xf7},
                                               {0xfd, 0xdb, 0xc7}, {0xf4, 0xa5, 0x82}, {0xd6, 0x60, 0x4d},
                                               {0xb2, 0x18, 0x2b}, {0x67, 0x00, 0x1f}};
  static const std::vector<Colour> three{{0x21, 0x66, 0xac}, {0xf7, 0xf7, 0xf7}, {0xd6, 0x60, 0x4d}};
  switch (scale) {
    case MatrixData::Scale::sequential:
      return viridis;
    case MatrixData::Scale::diverging:
      return blue_to_red;
    case MatrixData::Scale::ternary:
      return three;
  }
  __builtin_unreachable();
}

ColourDomain colour_domain(const MatrixData& matrix) {
  if (matrix.scale != MatrixData::Scale::diverging) return {matrix.low, matrix.high};
  const double most = std::max(std::abs(matrix.low), std::abs(matrix.high));
  return {-most, most};
}

uint8_t colour_index(const MatrixData& matrix, float value) {
  if (std::isnan(value)) return kMissing;
  const auto [low, high] = colour_domain(matrix);
  if (matrix.scale == MatrixData::Scale::ternary) {
    return static_cast<double>(value) <= low ? 0 : static_cast<double>(value) >= high ? kLast : kLast / 2;
  }
  if (!(high > low)) return kLast / 2;
  const double part = std::clamp((static_cast<double>(value) - low) / (high - low), 0.0, 1.0);
  return static_cast<uint8_t>(std::lround(part * kLast));
}

std::array<Colour, 256> colour_table(MatrixData::Scale scale) {
  const auto& points = control_points(scale);
  std::array<Colour, 256> table;
  for (size_t i = 0; i <= kLast; ++i) {
    const double at = static_cast<double>(i) / kLast * static_cast<double>(points.size() - 1);
    const size_t left = std::min(static_cast<size_t>(at), points.size() - 2);
    table[i] = between(points[left], points[left + 1], at - static_cast<double>(left));
  }
  table[kMissing] = kGrey;
  return table;
}

}  // namespace summand::lab
