#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/outputs/output.hpp"

namespace CLI {
class App;
}

namespace summand::cli {

/// Message for a run that is interrupted while it prints.
inline constexpr std::string_view kOnlyPrinted = "interrupted; nothing is kept but what was printed";

/// -o and --overwrite.
struct OutputFlags {
  std::string path;
  bool overwrite = false;

  [[nodiscard]] api::Existing existing() const { return overwrite ? api::Existing::replace : api::Existing::refuse; }
};

/// @param description  the extensions, and the behaviour without -o
void add_output(CLI::App& verb, OutputFlags& flags, const std::string& description);

/// The output's path, "-" for standard output, checked before any work is done.
/// @throws as api::check_output
[[nodiscard]] std::string checked_output(const OutputFlags& flags, std::span<const std::string_view> endings);

/// @throws UsageError if `path` is standard output and a terminal
void refuse_terminal(const std::string& path, std::string_view what);

[[nodiscard]] bool is_standard_output(std::string_view path);

/// Whether the path refers to a terminal.
[[nodiscard]] bool is_terminal(std::string_view path);

}  // namespace summand::cli
