#pragma once

#include <span>
#include <string>
#include <string_view>

#include "summand/error.hpp"

namespace summand {

/// The text on one line, fit for a terminal: control characters, line ends and marks that turn the direction of
/// writing are escaped, and so are bytes that are not UTF-8. What has been escaped stays as it is.
[[nodiscard]] std::string escaped(std::string_view text);

/// escaped(), of no more than 200 bytes of the text.
[[nodiscard]] std::string printable(std::string_view text);

/// "'a', 'b', 'c'", each printable; of more than 20 the first 20 and how many there are beside.
[[nodiscard]] std::string quoted_list(std::span<const std::string> names);

}  // namespace summand
