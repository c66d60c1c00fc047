#pragma once

#include <cstddef>

namespace summand::serve::http {

/// How many connections the system's hard limit of open files allows, beside some other files.
[[nodiscard]] size_t most_connections();

/// Lets this process open as many files as these connections need, beside some others.
/// @throws UsageError if the system's hard limit is lower
void allow_open_files(size_t connections);

}  // namespace summand::serve::http
