#pragma once

#include <vector>

#include "lab/core/figure.hpp"
#include "lab/core/numbers.hpp"

namespace summand::lab {

/// Where the first token's heads look in one layer: parts of their weight, sum 1.
struct FirstTokenLook {
  double itself = 0;
  double special = 0;  ///< other special tokens
  double words = 0;
};

/// @param layers  means over heads and texts
[[nodiscard]] Figure look_figure(const std::vector<FirstTokenLook>& layers);
/// @param numbers  of claim Q4
[[nodiscard]] Figure gini_figure(const Numbers& numbers);
[[nodiscard]] Figure readout_figure(const Numbers& numbers);

}  // namespace summand::lab
