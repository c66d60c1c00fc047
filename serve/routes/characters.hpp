#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace summand::serve {

/// Characters of UTF-8: its bytes that do not continue one.
[[nodiscard]] inline size_t characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace summand::serve
