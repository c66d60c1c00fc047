#include "io/module_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"

namespace summand::io {

namespace {

namespace fs = std::filesystem;

struct KindName {
  ModuleKind kind;
  std::string_view name;
};

constexpr std::array kKindNames{
    KindName{ModuleKind::transformer, "Transformer"},
    KindName{ModuleKind::pooling, "Pooling"},
    KindName{ModuleKind::dense, "Dense"},
    KindName{ModuleKind::layer_norm, "LayerNorm"},
    KindName{ModuleKind::normalize, "Normalize"},
    KindName{ModuleKind::dropout, "Dropout"},
};

std::string_view name_of(ModuleKind kind) {
  return std::ranges::find(kKindNames, kind, &KindName::kind)->name;
}

/// The class is the last word of a type; the words before it moved with the versions (models, base.modules,
/// sentence_transformer.modules). Types outside the package are code of the checkpoint's author.
ModuleKind kind_of(const std::string& type, std::string_view where) {
  const std::string_view name = std::string_view(type).substr(type.rfind('.') + 1);
  const auto* found = std::ranges::find(kKindNames, name, &KindName::name);
  if (!type.starts_with("sentence_transformers.") || found == kKindNames.end()) {
    throw ConfigError(where, fmt::format("module type '{}' is not supported, expected Transformer, Pooling, Dense, "
                                         "LayerNorm, Normalize or Dropout of sentence_transformers",
                                         printable(type)));
  }
  return found->kind;
}

/// A module's directory, which must be inside the model's.
fs::path below(const fs::path& directory, const std::string& relative, std::string_view where) {
  const fs::path path(relative);
  const bool leads_out = path.is_absolute() || std::ranges::count(path, fs::path("..")) > 0 ||
                         relative.find_first_of("\\:") != std::string::npos || relative.find('\0') != std::string::npos;
  if (leads_out) {
    throw ConfigError(where, fmt::format("path: expected a folder below the model's, got '{}'", printable(relative)));
  }
  return relative.empty() ? directory : directory / path;
}

/// One Transformer first, and one Pooling before everything that takes a sentence vector.
void check_order(const std::vector<ModuleEntry>& modules, std::string_view where) {
  std::vector<std::string_view> names;
  bool fits = true;
  size_t poolings = 0;
  for (const auto& module : modules) {
    const bool is_first = names.empty();
    names.push_back(name_of(module.kind));
    fits = fits && is_first == (module.kind == ModuleKind::transformer);
    if (module.kind == ModuleKind::pooling) ++poolings;
    const bool takes_tokens = module.kind == ModuleKind::transformer || module.kind == ModuleKind::normalize;
    fits = fits && (takes_tokens || poolings == 1);
  }
  if (fits && poolings == 1) return;
  throw ConfigError(where, fmt::format("expected Transformer, Pooling, then any of Dense, LayerNorm, Normalize and "
                                       "Dropout, got {}",
                                       fmt::join(names, ", ")));
}

std::string model_type_of(const fs::path& directory) {
  const auto config = read_json_object(directory / "config_sentence_transformers.json");
  return (config ? config->string("model_type") : std::nullopt).value_or("SentenceTransformer");
}

ModuleEntry read_entry(Json item, const fs::path& directory, const std::string& where) {
  const JsonObject module(std::move(item), where);
  const auto type = module.string("type");
  const auto relative = module.string("path");
  if (!type) module.refuse("type", "a module's type");
  if (!relative) module.refuse("path", "a module's folder");
  return {kind_of(*type, where), below(directory, *relative, where)};
}

/// Runs a step. The first of several faults is kept.
template <class Step>
void attempt(ModuleList& list, const Step& step) {
  try {
    step();
  } catch (const Error&) {
    if (!list.fault) list.fault = std::current_exception();
  }
}

void read_modules(const fs::path& path, ModuleList& list) {
  const std::string where = path_text(path);
  Json json = read_json(path);
  if (!json.is_array()) throw ConfigError(where, "expected a list of modules, got " + shown(json));
  for (Json& item : json) {
    attempt(list, [&] { list.modules.push_back(read_entry(std::move(item), list.directory, where)); });
  }
  if (!list.fault) check_order(list.modules, where);
}

}  // namespace

const fs::path& ModuleList::transformer_directory() const {
  const auto found = std::ranges::find(modules, ModuleKind::transformer, &ModuleEntry::kind);
  return found == modules.end() ? directory : found->directory;
}

ModuleList read_module_list(const fs::path& directory) {
  ModuleList list{.directory = directory, .modules = {}, .converted_from = {}, .fault = nullptr};
  const fs::path path = directory / "modules.json";
  if (!is_there(path)) return list;
  attempt(list, [&] {
    if (auto type = model_type_of(directory); type != "SentenceTransformer") list.converted_from = std::move(type);
  });
  if (list.converted_from.empty()) attempt(list, [&] { read_modules(path, list); });
  return list;
}

}  // namespace summand::io
