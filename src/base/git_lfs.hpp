#pragma once

#include <string_view>

namespace summand {

/// A clone without git-lfs has, in place of every large file, a few lines that say where it lies. Nothing else that is
/// read begins as they do.
/// @param content  of a file, or its beginning
/// @throws IoError saying what to do if it is such a pointer
/// Source: git-lfs, docs/spec.md
void refuse_git_lfs_pointer(std::string_view content, std::string_view where);

}  // namespace summand
