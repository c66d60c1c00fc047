#pragma once

#include <vector>

#include "lab/core/charts.hpp"
#include "lab/core/figure.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab::kernel {

/// A curve of a figure.
struct KernelLine {
  chart::Series of;
  Vector kernel;  ///< from distance 0
};

/// What choices of θ make of inner products, to both sides of distance 0.
[[nodiscard]] Figure plotted_figure(const std::vector<KernelLine>& choices);

/// A sinusoid's sum, its envelope, its integral and the logarithm, with a table's own inner products.
/// @param base  of the sinusoid @param shape  of the table
[[nodiscard]] Figure sum_figure(double base, Shape shape, const Vector& own);

}  // namespace summand::lab::kernel
