#pragma once

#include <cstddef>
#include <vector>

#include "lab/statistics/table.hpp"

namespace summand::lab::toeplitz {

/// H of every text and every function, along the same coordinates.
using Forms = std::vector<std::vector<Table>>;  // [texts][functions]

/// Every form along axes in which those of the other texts are, on average, the unit matrix: the first eigenvectors of
/// their mean over texts and functions, each divided by the root of its eigenvalue. What is round there is round for
/// the model, as far as one text's forms tell another's. Only symmetric halves count, and a form whose trace is below 0
/// is turned round: a function and its negative have the same axes. An axis along which the mean is not above 0 is 0.
/// @param width  how many axes, at most as many as coordinates
/// @throws UsageError with less than two texts
[[nodiscard]] Forms along_common_axes(const Forms& forms, size_t width);

}  // namespace summand::lab::toeplitz
