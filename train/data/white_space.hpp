#pragma once

#include <string_view>

namespace summand::train {

/// Whether a text contains a character that separates words: Unicode's White_Space.
[[nodiscard]] bool has_white_space(std::string_view text);

/// Whether a text contains only such characters.
[[nodiscard]] bool is_blank(std::string_view text);

}  // namespace summand::train
