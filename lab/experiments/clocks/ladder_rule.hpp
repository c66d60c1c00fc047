#pragma once

#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/experiments/clocks/clockwork.hpp"
#include "lab/experiments/clocks/drawn_clockworks.hpp"
#include "lab/statistics/placed_rows.hpp"

namespace summand::lab::clocks {

/// X2's numbers; the null is random ladders of the same ends, the control the planted one.
/// @param rows  those that `own` was measured on
void add_ladder(Numbers& numbers, const Clockwork& own, const PlacedRows& rows, const DrawnClockworks& drawn,
                const Conditions& conditions);

[[nodiscard]] Verdict judge_ladder(const Numbers& numbers);

/// Whether there are circles enough to ask for a ladder.
[[nodiscard]] bool was_asked(const Numbers& ladder);
/// "2.98, 3.05, 2.93", each pace over the one before.
[[nodiscard]] LocalizedText words_of_ratios(const Numbers& ladder);
/// " From position 128 on: 2.99, 3.00, 3.00.", and where the slowest makes no turn before; empty of a short table.
[[nodiscard]] LocalizedText words_of_parts(const Numbers& ladder);
/// p of ratios as even as these, in all positions and in the part where it is largest.
[[nodiscard]] double p_of_ladder(const Numbers& ladder);
[[nodiscard]] double p_of_parts(const Numbers& ladder);

}  // namespace summand::lab::clocks
