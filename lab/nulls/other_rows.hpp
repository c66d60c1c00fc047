#pragma once

#include <cstddef>
#include <string>

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Adds what n − m tells of the squared distances (share_by_distance()) in other choices of rows than the judged: in
/// all of them, and in all but row 0; each beside Gaussian tables with its own lag kernel.
/// @param judged    the judged rows' number; those added are its "all" and "without_row_0"
/// @param stream    names the draws
/// @param sinusoid  the control's
void add_other_rows(const NumberName& judged, const std::string& stream, const Table& table, double sinusoid,
                    size_t draws, const Conditions& conditions, Numbers& numbers);

}  // namespace summand::lab
