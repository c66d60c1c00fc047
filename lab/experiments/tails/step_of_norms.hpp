#pragma once

#include "lab/core/experiment.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab::tails {

inline constexpr double kPlantedTimes = 2;  // of rows in a control

/// BERT's first 90 % of steps had texts of 128 tokens (Devlin et al. 2019, A.2): do the norms of a longer table show
/// it? Adds how much longer rows are from position 128 on, and the row before it than its neighbours; nothing of a
/// table that hardly goes on. No rule has them.
void add_step_of_norms(const Table& table, const Conditions& conditions, Numbers& numbers);

/// What the answer says of them; nothing where neither stands out from the other positions.
[[nodiscard]] LocalizedText words_of_step(const Numbers& numbers);

}  // namespace summand::lab::tails
