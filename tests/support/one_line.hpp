#pragma once

#include <cstddef>
#include <string_view>

#include "base/utf8.hpp"

namespace summand::test {

/// What a person still reads as one message.
inline constexpr size_t kLongestMessage = 8192;

/// Whether a terminal shows it as one line, and as nothing but text.
inline bool is_one_line(std::string_view text) {
  if (text.empty() || text.size() > kLongestMessage) return false;
  while (!text.empty()) {
    const auto [code_point, bytes, valid] = decode_utf8(text);
    const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
    if (!valid || control || code_point == 0x2028 || code_point == 0x2029) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace summand::test
