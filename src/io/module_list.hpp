#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace summand::io {

/// The modules of sentence-transformers that this program can run.
enum class ModuleKind { transformer, pooling, dense, normalize, dropout };

/// One entry of modules.json.
struct ModuleEntry {
  ModuleKind kind = ModuleKind::transformer;
  std::filesystem::path directory;  ///< need not exist: Normalize often has none
};

/// What a directory's modules.json lists.
struct ModuleList {
  std::filesystem::path directory;
  std::vector<ModuleEntry> modules;  ///< empty where the directory is not sentence-transformers'
  std::string converted_from;        ///< another model type's name, such as CrossEncoder, whose modules do not apply

  /// Where config.json, weights and tokenizer lie.
  [[nodiscard]] const std::filesystem::path& transformer_directory() const {
    return modules.empty() ? directory : modules.front().directory;
  }
};

/// Reads modules.json, where there is one, in all forms that versions 2 to 6 wrote.
/// @throws IoError if it cannot be read
/// @throws ConfigError if it is malformed, leads out of the directory, names a module that is not supported, or has
///   another order than Transformer, Pooling, Dense modules, Normalize
/// Source: sentence-transformers 6.2, base/model.py, _load_config_modules
[[nodiscard]] ModuleList read_module_list(const std::filesystem::path& directory);

}  // namespace summand::io
