#pragma once

#include <string>

namespace summand::terminal {

/// "40 s", "12 min 05 s", "1 h 20 min"; rounded up to seconds.
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace summand::terminal
