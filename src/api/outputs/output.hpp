#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "io/output_file.hpp"

namespace summand::api {

using io::OutputFile;

/// Handling of an existing output file.
enum class Existing { refuse, replace };

/// Checks of an output before any work is done.
struct OutputRules {
  std::span<const std::string_view> endings;  ///< extensions with dots; none: any
  Existing existing = Existing::refuse;
};

/// Pipes, devices and open descriptors pass.
/// @throws UsageError for another extension
/// @throws IoError if the output exists and must stay, or its directory does not exist
void check_output(const std::filesystem::path& out, const OutputRules& rules);

}  // namespace summand::api
