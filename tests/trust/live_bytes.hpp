#pragma once

#include <cstddef>

namespace summand::trust {

/// Bytes of this program that `new` has given and nobody has given back. Mapped files are not among them.
[[nodiscard]] size_t live_bytes();

/// The most there were at once since start_peak().
[[nodiscard]] size_t peak_bytes();
void start_peak();

}  // namespace summand::trust
