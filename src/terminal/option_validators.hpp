#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace summand::terminal {

/// Checks that an option's value is one of these words; --help lists them.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);

/// Checks that an option's value is a whole number within bounds. The message does not mention the default upper bound.
[[nodiscard]] CLI::Validator whole_number(uint64_t least, uint64_t most = std::numeric_limits<int64_t>::max());

}  // namespace summand::terminal
