#pragma once

#include <string_view>

namespace summand {

/// Detects a git-lfs pointer: the few lines that a clone without git-lfs has instead of a large file.
/// @param content  of a file, or its beginning
/// @throws IoError that says what to do, if it is a pointer
/// Source: git-lfs, docs/spec.md
void refuse_git_lfs_pointer(std::string_view content, std::string_view where);

}  // namespace summand
