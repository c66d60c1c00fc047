#include "train/run/checksums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "io/content_hash.hpp"
#include "train/run/whole_file.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;

constexpr int kThreads = 1;  // libtorch's own wait on the same cores

std::string shown(const io::ContentHash& content) {
  return fmt::format("{} bytes with the hash {:016x}", content.bytes, content.hash);
}

io::ContentHash hash_file(const fs::path& path) {
  std::error_code failed;
  if (fs::file_size(path, failed) == 0 && !failed) return {};  // cannot be mapped
  if (!fs::exists(path, failed)) throw CheckpointError(path_text(path), "expected a file, got none");
  return io::content_hash(path, kThreads);
}

/// A file's name in the list, which must stay in the folder.
fs::path below(const std::string& name, const fs::path& list) {
  const fs::path path(name);
  if (!path.is_absolute() && std::ranges::count(path, fs::path("..")) == 0) return path;
  throw CheckpointError(path_text(list), fmt::format("expected files of the folder, got '{}'", printable(name)));
}

}  // namespace

void write_checksums(const fs::path& folder) {
  std::set<fs::path> files;  // in the order of their names
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != kChecksums && !name.starts_with('.')) files.insert(entry.path());
  }
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& path : files) {
    const auto content = hash_file(path);
    json[path.lexically_relative(folder).generic_string()] = {{"bytes", content.bytes},
                                                              {"hash", fmt::format("{:016x}", content.hash)}};
  }
  write_whole(folder / kChecksums, json.dump(1) + "\n");
}

bool verify_checksums(const fs::path& folder) {
  const fs::path list = folder / kChecksums;
  std::error_code unknown;
  if (!fs::exists(list, unknown)) return false;
  const JsonObject files(read_json(list), path_text(list));
  for (const auto& [name, entry] : files.json().items()) {
    const JsonObject said = files.below(name, entry);
    const uint64_t bytes = said.require("bytes", said.number("bytes"), "a whole number");
    const std::string hash = said.require("hash", said.string("hash"), "a text");
    const fs::path path = folder / below(name, list);
    const io::ContentHash got = hash_file(path);
    if (got.bytes == bytes && fmt::format("{:016x}", got.hash) == hash) continue;
    throw CheckpointError(path_text(path), fmt::format("is damaged or was changed: expected {} bytes with the hash {}, "
                                                       "got {}",
                                                       bytes, printable(hash), shown(got)));
  }
  return true;
}

}  // namespace summand::train
