#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace summand::io {

/// The folders that are searched for hub names, in order: HF_HUB_CACHE, else HUGGINGFACE_HUB_CACHE, else HF_HOME/hub,
/// else XDG_CACHE_HOME/huggingface/hub, else ~/.cache/huggingface/hub; then SENTENCE_TRANSFORMERS_HOME if it is set.
/// A leading ~ is the home directory; an empty variable counts as unset.
[[nodiscard]] std::vector<std::filesystem::path> hub_cache_folders();

/// The local copy of a hub name, "organisation/name", "name" (also looked for below its owner, where that is well
/// known, else below sentence-transformers/), each optionally with "@revision" (a branch, a tag or a commit; main if
/// absent). Nothing is downloaded.
/// @param looked  folders that were searched for it before, for the message
/// @param offer  the message's end
/// @throws CheckpointError if it is no possible hub name, or nowhere in the cache: then with the places searched
///   and the command that fetches it
/// Source: huggingface_hub's cache layout, models--organisation--name/{refs,snapshots}
[[nodiscard]] std::filesystem::path hub_model(std::string_view name,
                                              const std::vector<std::filesystem::path>& looked = {},
                                              std::string_view offer = {});

}  // namespace summand::io
