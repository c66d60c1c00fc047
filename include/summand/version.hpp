#pragma once

#include <string_view>

/// The version that a program is compiled against; the build reads it from here. docs/versioning.md says when which
/// number changes.
/// @{
#define SUMMAND_VERSION_MAJOR 0
#define SUMMAND_VERSION_MINOR 1
#define SUMMAND_VERSION_PATCH 0
/// @}

namespace summand {

/// The version of the library that the program runs with: "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace summand
