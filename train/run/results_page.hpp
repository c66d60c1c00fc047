#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace summand::train {

/// metrics.json of a fine-tuning as HTML: scores beside baselines, confusion, and the worst mistakes. For the run's
/// page, whose style it needs.
/// @throws nlohmann's exceptions if a key is missing
[[nodiscard]] std::string results_html(const nlohmann::json& metrics);

}  // namespace summand::train
