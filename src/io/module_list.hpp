#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <vector>

namespace summand::io {

/// The modules of sentence-transformers that this program can run.
enum class ModuleKind { transformer, pooling, dense, layer_norm, normalize, dropout };

/// One entry of modules.json.
struct ModuleEntry {
  ModuleKind kind = ModuleKind::transformer;
  std::filesystem::path directory;  ///< need not exist: Normalize often has none
};

/// The modules of a directory's modules.json.
struct ModuleList {
  std::filesystem::path directory;
  std::vector<ModuleEntry> modules;  ///< empty where the directory is not sentence-transformers'
  std::string converted_from;        ///< another model type's name, such as CrossEncoder, whose modules do not apply
  /// Why the modules cannot make sentence vectors, or null: a ConfigError or an IoError. `modules` are then those that
  /// could be read.
  std::exception_ptr fault;

  /// The folder of config.json, weights and tokenizer.
  [[nodiscard]] const std::filesystem::path& transformer_directory() const;
};

/// Reads modules.json, where there is one, in all forms that versions 2 to 6 wrote. It is at fault if it cannot be
/// read, is malformed, leads out of the directory, names a module that is not supported, or has another order than
/// Transformer, Pooling, then any of Dense, LayerNorm, Normalize and Dropout. A Normalize before the Pooling is
/// allowed: it finds no sentence vector and does nothing. Source: sentence-transformers 6.2, base/model.py,
/// _load_config_modules
[[nodiscard]] ModuleList read_module_list(const std::filesystem::path& directory);

}  // namespace summand::io
