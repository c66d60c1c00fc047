#include "io/weight_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_header.hpp"
#include "io/safetensors_index.hpp"
#include "io/torch_file.hpp"

namespace summand::io {

namespace {

namespace fs = std::filesystem;

/// How a directory may hold its weights.
struct WeightLayout {
  enum class Files { one, several };
  std::string_view name;  ///< of the file, or of the index of several
  Files files;
};

/// In the order in which transformers looks for them.
constexpr std::array kLayouts{
    WeightLayout{"model.safetensors", WeightLayout::Files::one},
    WeightLayout{"model.safetensors.index.json", WeightLayout::Files::several},
    WeightLayout{"pytorch_model.bin", WeightLayout::Files::one},
    WeightLayout{"pytorch_model.bin.index.json", WeightLayout::Files::several},
};

/// Describes what a directory has instead of weights.
[[noreturn]] void refuse_without_weights(const fs::path& directory) {
  const std::string_view message = "expected model.safetensors or pytorch_model.bin, got";
  for (const auto* other : {"tf_model.h5", "flax_model.msgpack"}) {
    if (is_there(directory / other)) {
      throw CheckpointError(path_text(directory),
                            fmt::format("{} only {}, which must be converted to safetensors first", message, other));
    }
  }
  std::vector<std::string> others;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    if (entry.path().extension() == ".safetensors") others.push_back(entry.path().filename().string());
  }
  std::ranges::sort(others);
  throw CheckpointError(path_text(directory), others.empty() ? fmt::format("{} none", message)
                                                             : fmt::format("{} only {}", message, quoted_list(others)));
}

void add(WeightFiles& files, const std::string& name, StoredTensor stored) {
  std::string canonical = canonical_name(name);
  const fs::path file = stored.file;
  stored.stored_name = name;
  const auto [at, fresh] = files.tensors.emplace(std::move(canonical), std::move(stored));
  if (!fresh) {
    throw CheckpointError(path_text(file),
                          fmt::format("expected one tensor '{}', got both '{}' and '{}'", printable(at->first),
                                      printable(at->second.stored_name), printable(name)));
  }
}

void add_all(WeightFiles& files, SafetensorsFile file) {
  for (auto& [name, tensor] : file.tensors) add(files, name, {{}, file.path, std::move(tensor), {}});
  for (auto& [name, text] : file.unsupported) add(files, name, {{}, file.path, {}, std::move(text)});
}

SafetensorsFile read_file_of_weights(const fs::path& path) {
  return path.extension() == ".bin" ? read_torch_file(path) : read_safetensors(path);
}

const WeightLayout& detect_layout(const fs::path& directory) {
  const auto* found =
      std::ranges::find_if(kLayouts, [&](const WeightLayout& layout) { return is_there(directory / layout.name); });
  if (found == kLayouts.end()) refuse_without_weights(directory);
  return *found;
}

/// The shards that an index names, each read once; missing ones are named together.
std::map<std::string, SafetensorsFile> read_shards(const SafetensorsIndex& index, const fs::path& directory) {
  std::set<std::string> names;
  for (const auto& [tensor, file] : index.file_of) names.insert(file);
  std::vector<std::string> missing;
  for (const auto& name : names) {
    if (!is_there(directory / name)) missing.push_back(name);
  }
  if (!missing.empty()) {
    throw CheckpointError(path_text(index.path), fmt::format("expected {} files of weights, missing {}: {}",
                                                             names.size(), missing.size(), quoted_list(missing)));
  }
  std::map<std::string, SafetensorsFile> shards;
  size_t tensors = 0;
  for (const auto& name : names) {
    const auto& shard = shards.emplace(name, read_file_of_weights(directory / name)).first->second;
    tensors += shard.tensors.size() + shard.unsupported.size();
    if (tensors > kMostTensors) {
      throw CheckpointError(path_text(index.path),
                            fmt::format("expected files of at most {} tensors together, got more", kMostTensors));
    }
  }
  return shards;
}

WeightFiles read_sharded(const fs::path& index_path) {
  const SafetensorsIndex index = read_safetensors_index(index_path);
  const auto shards = read_shards(index, index_path.parent_path());
  WeightFiles files{index_path, {}};
  std::vector<std::string> absent;
  for (const auto& [name, file] : index.file_of) {
    const SafetensorsFile& shard = shards.at(file);
    if (const auto tensor = shard.tensors.find(name); tensor != shard.tensors.end()) {
      add(files, name, {{}, shard.path, tensor->second, {}});
    } else if (const auto other = shard.unsupported.find(name); other != shard.unsupported.end()) {
      add(files, name, {{}, shard.path, {}, other->second});
    } else {
      absent.push_back(name + " in " + file);
    }
  }
  if (!absent.empty()) {
    throw CheckpointError(path_text(index_path), fmt::format("expected every listed tensor in its file, missing {}: {}",
                                                             absent.size(), quoted_list(absent)));
  }
  return files;
}

bool replace_end(std::string& text, std::string_view old_end, std::string_view new_end) {
  if (!text.ends_with(old_end)) return false;
  text.replace(text.size() - old_end.size(), old_end.size(), new_end);
  return true;
}

}  // namespace

std::string canonical_name(const std::string& stored_name) {
  constexpr std::string_view kPrefix = "bert.";
  std::string name = stored_name.starts_with(kPrefix) ? stored_name.substr(kPrefix.size()) : stored_name;
  if (!replace_end(name, "LayerNorm.gamma", "LayerNorm.weight")) {
    replace_end(name, "LayerNorm.beta", "LayerNorm.bias");
  }
  return name;
}

std::vector<std::string> weight_file_names(const fs::path& directory) {
  const WeightLayout& layout = detect_layout(directory);
  std::set<std::string> names{std::string(layout.name)};
  if (layout.files == WeightLayout::Files::several) {
    for (const auto& [tensor, file] : read_safetensors_index(directory / layout.name).file_of) names.insert(file);
  }
  return {names.begin(), names.end()};
}

WeightFiles read_weight_files(const fs::path& directory) {
  const WeightLayout& layout = detect_layout(directory);
  const fs::path path = directory / layout.name;
  if (layout.files == WeightLayout::Files::several) return read_sharded(path);
  WeightFiles files{path, {}};
  add_all(files, read_file_of_weights(path));
  return files;
}

}  // namespace summand::io
