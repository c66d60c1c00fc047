#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lab/statistics/placed_rows.hpp"

namespace summand::lab {

/// How much of the rows so many positions further, for every shift, one affine map of the rows explains, both in their
/// leading components: the best such map, fitted on all pairs that are there. It has a row of coefficients for every
/// component, so that noise is explained a little, too: compare it with tables of the same size.
/// @param components  directions of largest variance; fewer where the rows have a smaller rank
/// @return [shifts], 1 − SSE / squares about the mean: 0 … 1; 0 where there are no more pairs than coefficients
[[nodiscard]] std::vector<double> explained_by_linear_shifts(const PlacedRows& rows, std::span<const size_t> shifts,
                                                             size_t components);

}  // namespace summand::lab
