#pragma once

#include <nlohmann/json_fwd.hpp>

#include "train/run/learning_options.hpp"

namespace summand::train {

/// Adds every option to those of a run, for run.json and for comparing a resumed run.
void add_to(nlohmann::ordered_json& json, const LearningOptions& options);

}  // namespace summand::train
