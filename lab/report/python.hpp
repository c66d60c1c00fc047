#pragma once

#include <string>
#include <string_view>

namespace summand::lab {

/// $SUMMAND_PYTHON; in a build tree the Python that it was configured with; else python3.
[[nodiscard]] std::string python_path();

/// Runs a script in a child process, which reads `input` from its standard input.
/// @throws IoError with the last line that it wrote to standard error, if it cannot be started or fails
void run_python(std::string_view script, std::string_view input);

}  // namespace summand::lab
