#pragma once

#include <filesystem>
#include <string_view>

namespace summand::io {

/// The directory that a user means: an existing directory; a model that comes with summand, "summand-mini"; or else the
/// local copy of a hub name, "organisation/name", "name" (also looked for below its owner, as hub_model() does), each
/// optionally with "@revision" (a branch, a tag or a commit; main if absent). Nothing is downloaded.
/// @throws CheckpointError if it is a file, no possible hub name, or nowhere in the cache: then with the places
///   searched and the command that fetches it
[[nodiscard]] std::filesystem::path resolve_model(std::string_view name_or_path);

}  // namespace summand::io
