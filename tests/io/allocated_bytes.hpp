#pragma once

#include <cstddef>

namespace summand::io::test {

/// How many bytes this program has asked `new` for since it began.
[[nodiscard]] size_t allocated_bytes();

}  // namespace summand::io::test
