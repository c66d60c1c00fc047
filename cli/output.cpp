#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "api/base_names.hpp"

namespace summand::cli {

namespace {

constexpr std::string_view kStandardOutput = "/dev/stdout";

}  // namespace

void add_output(CLI::App& verb, OutputFlags& flags, const std::string& description) {
  verb.add_option("-o,--output", flags.path, description);
  verb.add_flag("--overwrite", flags.overwrite, "Replace OUT if it exists");
}

bool is_standard_output(std::string_view path) {
  return path == kStandardOutput || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

bool is_terminal(std::string_view path) {
  return is_standard_output(path) && ::isatty(STDOUT_FILENO) == 1;
}

std::string checked_output(const OutputFlags& flags, std::span<const std::string_view> endings) {
  if (flags.path == "-") return std::string(kStandardOutput);
  api::check_output(flags.path, {.endings = endings, .existing = flags.existing()});
  return flags.path;
}

void refuse_terminal(const std::string& path, std::string_view what) {
  if (!is_terminal(path)) return;
  throw api::UsageError("output", fmt::format("expected a file or a pipe for {}, got a terminal", what));
}

}  // namespace summand::cli
