#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace summand::train {

/// What does not decide a run's numbers, but may change their last bits, for run.json: the program and its machine.
[[nodiscard]] nlohmann::ordered_json about_program(const std::string& command, int threads, bool cuda);

}  // namespace summand::train
