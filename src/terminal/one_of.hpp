#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace summand::terminal {

/// A check that a word is one of these; help shows them.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

}  // namespace summand::terminal
