#pragma once

#include <string_view>

namespace summand::train {

/// Whether there is a character in a text that separates words: Unicode's White_Space.
[[nodiscard]] bool has_white_space(std::string_view text);

/// Whether there is none that does not.
[[nodiscard]] bool is_blank(std::string_view text);

}  // namespace summand::train
