#pragma once

#include <functional>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// A smooth convex function: fills its gradient at a point and returns its value.
using Objective = std::function<double(const Vector& at, Vector& gradient)>;

struct Minimum {
  Vector at;
  double value = 0;
  double gradient = 0;  ///< the largest entry
  int iterations = 0;
};

/// L-BFGS with the last 10 steps and a line search for the strong Wolfe conditions, by LBFGSpp.
/// @param tolerance   it ends when no entry of the gradient is larger
/// @param iterations  it ends after as many; or before, where rounding lets no step make the value smaller
/// Source: Nocedal & Wright 2006, algorithms 7.4 and 7.5
[[nodiscard]] Minimum minimise(const Objective& objective, Vector start, double tolerance, int iterations);

}  // namespace summand::lab
