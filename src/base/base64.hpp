#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace summand {

/// RFC 4648, section 4, with padding.
[[nodiscard]] std::string base64(std::span<const uint8_t> bytes);

}  // namespace summand
