#pragma once

#include "lab/core/figure.hpp"

namespace summand::lab::sample {

[[nodiscard]] Figure curves();        ///< lines over a band, several series
[[nodiscard]] Figure scatter();       ///< points coloured by a number
[[nodiscard]] Figure bars();          ///< bars with intervals and a reference line
[[nodiscard]] Figure small_map();     ///< a heat map of marks
[[nodiscard]] Figure product_map();   ///< an image, 512 × 384, diverging, with a missing cell
[[nodiscard]] Figure ternary_map();   ///< an image, 64 × 96, three colours
[[nodiscard]] Figure facets();        ///< several panels, one above the other
[[nodiscard]] Figure side_by_side();  ///< panels beside each other, as many as have room
[[nodiscard]] Figure long_names();    ///< horizontal bars whose names are long

}  // namespace summand::lab::sample
