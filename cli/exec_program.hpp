#pragma once

#include <string>
#include <vector>

namespace summand::cli {

/// Replaces this process by a program in the same folder.
/// @param name  its file name
/// @param arguments  without the program's name
/// @param missing  message if it does not exist: "needs …"; empty: the system's message
/// @throws IoError if it does not exist or cannot be run
[[noreturn]] void exec_program(const std::string& name, std::vector<std::string> arguments,
                               const std::string& missing = "");

}  // namespace summand::cli
