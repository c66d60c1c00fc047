#pragma once

/// @file
/// The version, for the preprocessor and at run time.

#include <string_view>

// The version that a program is compiled against. The build reads it here.

/// Changes where programs have to, from 1.0 on.
#define SUMMAND_VERSION_MAJOR 0
/// Changes where programs have to, while the major number is 0; from then on where something new is there.
#define SUMMAND_VERSION_MINOR 1
/// Changes with defects mended.
#define SUMMAND_VERSION_PATCH 0

namespace summand {

/// The version of the library that the program runs with: "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace summand
