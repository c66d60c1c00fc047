#include "base/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/paths.hpp"

namespace summand {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::string_view name) {
  std::error_code failed;
  const auto parent = fs::temp_directory_path(failed);
  if (failed) throw IoError("the folder of temporary files (TMPDIR)", failed.message());
  std::string path = (parent / (std::string(name) + "-XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr) throw IoError(path_text(path), "cannot be made: " + errno_text(errno));
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace summand
