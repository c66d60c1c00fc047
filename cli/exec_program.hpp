#pragma once

#include <string>
#include <vector>

namespace summand::cli {

/// Becomes a program that lies beside this one.
/// @param name  its file's name
/// @param arguments  behind the program's name
/// @param missing  what to say where it is not there: "needs …"; empty: the system's reason
/// @throws IoError if it is not there, or cannot be run
[[noreturn]] void exec_program(const std::string& name, std::vector<std::string> arguments,
                               const std::string& missing = "");

}  // namespace summand::cli
