#pragma once

#include <cstddef>
#include <optional>

#include "lab/core/experiment.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/distance/pair_fits.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

namespace distance {

/// How often E10 fits.
struct ShortSequenceSize {
  size_t windows = 3;  ///< from 128 on
  size_t splits = 3;
  size_t draws = 5;  ///< of tables with the same lag kernel
};
[[nodiscard]] ShortSequenceSize short_sequence_size(const Conditions& conditions);

}  // namespace distance

/// E10: distances among positions 1 to 127, and among as many positions from 128 on.
/// @param rows  the table without row 0
/// @return nothing where there are too few positions from 128 on
[[nodiscard]] std::optional<Numbers> short_sequence_numbers(const Table& rows, size_t components,
                                                            const PairLimits& limits, const Conditions& conditions);

[[nodiscard]] Rule short_sequence_rule();

}  // namespace summand::lab
