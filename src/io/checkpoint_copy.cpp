#include "io/checkpoint_copy.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "io/module_list.hpp"
#include "io/output_file.hpp"
#include "io/safetensors_writer.hpp"
#include "io/weight_files.hpp"

namespace summand::io {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kOtherFiles{"vocab.txt", "README.md", "LICENSE", "LICENSE.txt", "LICENSE.md"};

/// All JSON files are settings, except the indexes of weights.
bool is_copied(const fs::path& file) {
  const std::string name = file.filename().string();
  if (name.ends_with(".json")) return !name.ends_with(".index.json");
  return std::ranges::count(kOtherFiles, std::string_view(name)) > 0;
}

void write_text(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

class Copy {
 public:
  Copy(const Checkpoint& checkpoint, const OutputDirectory& out, const std::function<void()>& on_file)
      : root_(checkpoint.directory), out_(out), on_file_(on_file) {}

  /// The place of one of the checkpoint's directories in the copy, made.
  [[nodiscard]] fs::path destination(const fs::path& directory) const {
    const fs::path relative = directory.lexically_relative(root_).lexically_normal();
    return out_.make_folder(relative == "." ? fs::path() : relative);
  }

  void write_weights(const fs::path& folder, const model::Weights& weights) const {
    write_safetensors(folder / "model.safetensors", weights);
    tell();
  }

  void write_config(const fs::path& directory, const CheckpointChanges& changes) const {
    std::string text = read_json_text(directory / "config.json");
    if (changes.own_settings != nullptr) text = model::with_own_settings(text, *changes.own_settings);
    write_text(destination(directory) / "config.json", model::with_weight_format(text, changes.weight_format));
    tell();
  }

  /// @param directory  may be absent
  void copy_settings(const fs::path& directory) const {
    std::error_code failed;
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(directory, failed)) {
      if (is_copied(entry.path()) && entry.is_regular_file(failed)) files.insert(entry.path());
    }
    if (failed && failed != std::errc::no_such_file_or_directory) {
      throw IoError(path_text(directory), "cannot be read: " + errno_text(failed.value()));
    }
    for (const auto& file : files) {
      const fs::path to = destination(directory) / file.filename();
      if (is_there(to)) continue;  // a folder that two modules share
      write_text(to, read_file(file, kLongestTokenizer));
      tell();
    }
  }

  void copy_module_weights(const fs::path& directory) const {
    model::Weights weights;
    for (auto& [name, stored] : read_weight_files(directory).tensors) weights.set(stored.stored_name, stored.tensor);
    write_weights(destination(directory), weights);
  }

 private:
  void tell() const {
    if (on_file_) on_file_();
  }

  const fs::path& root_;
  const OutputDirectory& out_;
  const std::function<void()>& on_file_;
};

}  // namespace

void copy_checkpoint(const Checkpoint& checkpoint, const CheckpointChanges& changes, const OutputDirectory& out,
                     const std::function<void()>& on_file) {
  static_cast<void>(checkpoint.sentence_modules());  // a copy of some of them would be another model
  for (const auto& head : checkpoint.parts.absent) {
    if (head.cause == model::AbsentHead::Cause::setting) throw ConfigError(head.where, head.reason);
  }
  const Copy copy(checkpoint, out, on_file);
  const fs::path& transformer = checkpoint.transformer_directory;
  copy.write_weights(copy.destination(transformer), changes.weights);
  copy.write_config(transformer, changes);
  copy.copy_settings(transformer);
  copy.copy_settings(checkpoint.directory);
  for (const auto& module : read_module_list(checkpoint.directory).modules) {
    copy.copy_settings(module.directory);
    if (module.kind == ModuleKind::dense || module.kind == ModuleKind::layer_norm) {
      copy.copy_module_weights(module.directory);
    }
  }
}

}  // namespace summand::io
