#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>

namespace summand::terminal {

/// A check of an option's value: a whole number within these bounds. The complaint names no bound that only a computer
/// knows.
[[nodiscard]] CLI::Validator whole_number(uint64_t least, uint64_t most = std::numeric_limits<int64_t>::max());

}  // namespace summand::terminal
