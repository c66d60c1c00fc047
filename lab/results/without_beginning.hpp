#pragma once

#include <span>
#include <string>
#include <string_view>

namespace summand::lab {

/// The text behind one of these beginnings; all of it where it has none of them.
[[nodiscard]] inline std::string without_beginning(std::string_view text,
                                                   std::span<const std::string_view> beginnings) {
  for (const auto beginning : beginnings) {
    if (text.starts_with(beginning)) return std::string(text.substr(beginning.size()));
  }
  return std::string(text);
}

}  // namespace summand::lab
