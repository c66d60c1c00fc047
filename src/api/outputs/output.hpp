#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "io/output_file.hpp"

namespace summand::api {

using io::OutputFile;

/// What becomes of a result that is there already.
enum class Existing { refuse, replace };

/// What is asked of an output before any work is done for it.
struct OutputRules {
  std::span<const std::string_view> endings;  ///< with their dots; none: any
  Existing existing = Existing::refuse;
};

/// Pipes, devices and open descriptors pass.
/// @throws UsageError for another ending; IoError if there is a result already that is to stay, or no such directory
void check_output(const std::filesystem::path& out, const OutputRules& rules);

}  // namespace summand::api
