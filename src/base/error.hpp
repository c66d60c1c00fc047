#pragma once

#include <string>
#include <string_view>

#include "summand/error.hpp"

namespace summand {

/// The text on one line, fit for a message: control characters and line ends escaped, cut at 200 bytes.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace summand
