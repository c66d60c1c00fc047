#pragma once

#include <string>

#include "lab/core/experiment.hpp"
#include "lab/nulls/beyond_kernel.hpp"
#include "lab/statistics/placed_rows.hpp"

namespace summand::lab::clocks {

/// The steps of kStepsCompared positions that the table takes, less the straight line through them: of rows that all
/// turn by one motion, they turn by it too. Random walks, smooth processes, lines and parabolas have none.
[[nodiscard]] PlacedRows steps_off_their_line(const PlacedRows& rows);

/// The share of the squared distances between these steps that n − m tells, beside Gaussian tables with their lag
/// kernel: 1 if one motion takes every step to the next, however near to each other its circles' paces lie.
/// @param name  of the draws' streams
[[nodiscard]] KernelComparisons turning_as_one(const PlacedRows& rows, const std::string& name,
                                               const Conditions& conditions);

/// Whether the steps leave of the way to 1 clearly less than 97.5 % of those tables.
[[nodiscard]] bool turns_as_one(double share, const Interval& of_kernel);

}  // namespace summand::lab::clocks
