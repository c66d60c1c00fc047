#pragma once

#include <span>
#include <string>
#include <string_view>

#include "summand/error.hpp"

namespace summand {

/// The text on one line, safe for a terminal. Escapes control characters, line ends, marks that change the writing
/// direction, and bytes that are not UTF-8. Escaping twice changes nothing more.
[[nodiscard]] std::string escaped(std::string_view text);

/// escaped(), of at most `most` bytes of the text; "…" marks a cut.
[[nodiscard]] std::string printable(std::string_view text, size_t most = 200);

/// "'a', 'b', 'c'", each printable; after the first 20 "and N more".
[[nodiscard]] std::string quoted_list(std::span<const std::string> names);

}  // namespace summand
