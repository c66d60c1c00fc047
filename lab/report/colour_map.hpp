#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/core/figure.hpp"

namespace summand::lab {

struct Colour {
  uint8_t red = 0;
  uint8_t green = 0;
  uint8_t blue = 0;

  bool operator==(const Colour&) const = default;
};

/// "#1f9d8a"
[[nodiscard]] std::string hexadecimal(Colour colour);

/// The colours of a scale, equally far apart from its low end to its high end; between two of them lies the straight
/// line in RGB. Told apart by the colour-blind. Three of ternary, which has nothing between.
/// Source: viridis of matplotlib 2.0 (van der Walt and Smith 2015), RdBu of ColorBrewer 2.0 (Brewer 2013), reversed
[[nodiscard]] const std::vector<Colour>& control_points(MatrixData::Scale scale);

/// What a scale runs over: low and high, or for diverging the larger magnitude on both sides.
struct ColourDomain {
  double low = 0;
  double high = 1;
};
[[nodiscard]] ColourDomain colour_domain(const MatrixData& matrix);

/// Where a cell lies among the entries of colour_table().
[[nodiscard]] uint8_t colour_index(const MatrixData& matrix, float value);

/// 255 colours from low to high, of which ternary uses the first, the middle and the last; the last entry, a grey, is
/// for what is missing.
[[nodiscard]] std::array<Colour, 256> colour_table(MatrixData::Scale scale);

}  // namespace summand::lab
