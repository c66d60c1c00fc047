#include "api/outputs/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand::api {

namespace fs = std::filesystem;

namespace {

/// ".npy, .jsonl or .csv"
std::string listed(std::span<const std::string_view> endings) {
  std::string text(endings.front());
  for (size_t i = 1; i < endings.size(); ++i) {
    text += i + 1 < endings.size() ? ", " : " or ";
    text += endings[i];
  }
  return text;
}

}  // namespace

void check_output(const fs::path& out, const OutputRules& rules) {
  if (OutputFile::is_written_through(out)) return;
  if (out.empty()) throw IoError(path_text(out), "expected a file's name, got none");
  if (!rules.endings.empty() && std::ranges::find(rules.endings, out.extension().native()) == rules.endings.end()) {
    throw UsageError(path_text(out), "expected an output that ends in " + listed(rules.endings));
  }
  std::error_code unknown;
  if (fs::is_directory(out, unknown)) throw IoError(path_text(out), "expected a file to write, got a directory");
  if (rules.existing == Existing::refuse && is_there(out)) {
    throw IoError(path_text(out), "expected a new file, got one that is there already; --overwrite replaces it");
  }
  const fs::path folder = out.parent_path();
  if (fs::is_symlink(out, unknown) || folder.empty() || fs::exists(folder, unknown)) return;
  throw IoError(path_text(out), fmt::format("cannot be written: no directory '{}'", path_text(folder)));
}

}  // namespace summand::api
