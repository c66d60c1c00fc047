#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace summand::train {

/// How a run was started.
struct AboutProgram {
  std::string command;
  int threads = 1;  ///< of a process
  int processes = 1;
  bool cuda = false;
};

/// What does not decide a run's numbers, but may change their last bits, for run.json: the program and its machine.
[[nodiscard]] nlohmann::ordered_json about_program(const AboutProgram& about);

}  // namespace summand::train
