#include "base/git_lfs.hpp"

#include "base/error.hpp"

namespace summand {

void refuse_git_lfs_pointer(std::string_view content, std::string_view where) {
  if (!content.starts_with("version https://git-lfs.github.com/spec/")) return;
  throw IoError(where, "expected the file itself, got a git-lfs pointer to it: run 'git lfs pull' in its folder");
}

}  // namespace summand
