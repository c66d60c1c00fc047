#include "io/safetensors_index.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "io/safetensors_header.hpp"

namespace summand::io {

namespace {

bool is_plain_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of("/\\") == std::string::npos;
}

}  // namespace

SafetensorsIndex read_safetensors_index(const std::filesystem::path& path) {
  const std::string where = path_text(path);
  const Json json = read_json(path);
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (map == json.end() || !map->is_object()) {
    throw CheckpointError(where, "expected an object weight_map of tensor names and files, got none");
  }
  if (map->size() > kMostTensors) {
    throw CheckpointError(where, fmt::format("expected at most {} tensors, got {}", kMostTensors, map->size()));
  }
  SafetensorsIndex index{path, {}};
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string() || !is_plain_file_name(file.get<std::string>())) {
      throw CheckpointError(where, fmt::format("'{}': expected the name of a file in the index's folder, got {}",
                                               printable(tensor), shown(file)));
    }
    index.file_of.emplace(tensor, file.get<std::string>());
  }
  return index;
}

}  // namespace summand::io
