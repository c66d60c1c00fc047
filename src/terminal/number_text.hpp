#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace summand::terminal {

/// A number with fixed decimals, never "-0.00".
[[nodiscard]] std::string fixed(double number, int decimals);

/// A share as "12.5 %".
[[nodiscard]] std::string percent(double share, int decimals);

/// A score with four decimals, or in scientific notation if these would be 0.
[[nodiscard]] std::string score_text(double score);

/// "1 text", "2 texts".
[[nodiscard]] std::string counted(size_t count, std::string_view noun);

}  // namespace summand::terminal
