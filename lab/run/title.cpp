#include "lab/run/title.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace summand::lab {

void check_title(const std::string& title) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  const bool is_blank = title.find_first_not_of(' ') == title.npos;
  if (is_blank || !is_valid_utf8(title) || std::ranges::any_of(title, is_control)) {
    throw UsageError("--name", fmt::format("expected a title in one line of UTF-8, got '{}'", printable(title)));
  }
}

}  // namespace summand::lab
