#include "api/output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand::api {

namespace fs = std::filesystem;

void check_output(const fs::path& out, const OutputRules& rules) {
  if (OutputFile::is_written_through(out)) return;
  if (out.empty()) throw IoError(path_text(out), "expected a file's name, got none");
  const auto& endings = rules.endings;
  if (!endings.empty() && std::ranges::find(endings, out.extension().native()) == endings.end()) {
    throw UsageError(path_text(out), fmt::format("expected an output that ends in {}",
                                                 fmt::join(endings, endings.size() < 3 ? " or " : ", ")));
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
