#pragma once

/// @file
/// The version, at compile time and at run time.

#include <string_view>

// The version at compile time. The build reads it here.

/// Changes with breaking changes, from 1.0 on.
#define SUMMAND_VERSION_MAJOR 0
/// Changes with breaking changes while the major number is 0; from 1.0 on with new features.
#define SUMMAND_VERSION_MINOR 1
/// Changes with bug fixes.
#define SUMMAND_VERSION_PATCH 0

namespace summand {

/// The version of the library at run time: "0.1.0".
[[nodiscard]] std::string_view version();

}  // namespace summand
