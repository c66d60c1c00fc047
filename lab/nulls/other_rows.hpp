#pragma once

#include <cstddef>
#include <string>

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Adds what n − m tells of the squared distances (share_by_distance()) in other choices of rows than the judged: in
/// all of them, and in all but row 0; the null of each is Gaussian tables with its own lag kernel.
/// @param judged    the judged rows' number; those added are its "all" and "without_row_0"
/// @param stream    names the draws
/// @param sinusoid  the control's
void add_other_rows(const NumberName& judged, const std::string& stream, const Table& table, double sinusoid,
                    size_t draws, const Conditions& conditions, Numbers& numbers);

/// Whether the share of all rows but row 0 is small (below kLeastShare): a few long rows hold most of the distances,
/// and what n − m tells of the others it does not tell of the table. @param judged  as above
[[nodiscard]] bool told_without_outlying_alone(const NumberName& judged, const Numbers& numbers);
/// The number that tells it.
[[nodiscard]] std::string with_outlying(const NumberName& judged);

}  // namespace summand::lab
