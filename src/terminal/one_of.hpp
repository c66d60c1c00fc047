#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace summand::terminal {

/// Checks that an option's value is one of these words; --help lists them.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

}  // namespace summand::terminal
