#pragma once

#include <string>

namespace summand::lab {

/// Of a report, as --name gives it.
/// @throws UsageError if it is empty, is not UTF-8, or has a control character, as an end of line
void check_title(const std::string& title);

}  // namespace summand::lab
