#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "train/run/ranks.hpp"

namespace summand::train {

// Descriptions are run.json: everything that decides a run's numbers, as an object of objects, and under "about" what
// may change their last bits.

/// The first value that decides numbers in which two descriptions differ, as "options.steps: expected 100, as the run
/// began, got 200"; empty if none.
[[nodiscard]] std::string difference_from_beginning(const nlohmann::json& began, const nlohmann::json& now);

/// Differences that a resumed run may have from its beginning, a line each.
[[nodiscard]] std::vector<std::string> changes_between(const nlohmann::json& began, const nlohmann::json& now);

/// @throws UsageError, in all processes, if one has another description than rank 0, naming the first difference
void require_same_run(const std::string& description, Ranks& ranks);

}  // namespace summand::train
