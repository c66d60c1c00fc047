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
                                         "Normalize or Dropout of sentence_transformers",
                                         printable(type)));
  }
  return found->kind;
}

/// A module's directory, which must lie below the model's.
fs::path below(const fs::path& directory, const std::string& relative, std::string_view where) {
  const fs::path path(relative);
  const bool leads_out = path.is_absolute() || std::ranges::count(path, fs::path("..")) > 0 ||
                         relative.find_first_of("\\:") != std::string::npos || relative.find('\0') != std::string::npos;
  if (leads_out) {
    throw ConfigError(where, fmt::format("path: expected a folder below the model's, got '{}'", printable(relative)));
  }
  return relative.empty() ? directory : directory / path;
}

/// A module may follow those whose stage is not after its own; one Pooling, and at most one Normalize.
int stage_of(ModuleKind kind) {
  switch (kind) {
    case ModuleKind::transformer:
      return 0;
    case ModuleKind::pooling:
      return 1;
    case ModuleKind::dense:
    case ModuleKind::dropout:
      return 2;
    case ModuleKind::normalize:
      return 3;
  }
  __builtin_unreachable();
}

void check_order(const std::vector<ModuleEntry>& modules, std::string_view where) {
  std::vector<std::string_view> names;
  int stage = -1;
  bool fits = modules.size() >= 2;
  for (const auto& module : modules) {
    names.push_back(name_of(module.kind));
    if (module.kind == ModuleKind::dropout && stage >= 1) continue;  // does nothing outside training
    const int next = stage_of(module.kind);
    fits = fits && (next == 2 ? stage == 1 || stage == 2 : next > stage && (next == 3 ? stage > 0 : next == stage + 1));
    stage = next;
  }
  if (fits) return;
  throw ConfigError(where,
                    fmt::format("expected Transformer, Pooling, any number of Dense, at most one Normalize, got {}",
                                fmt::join(names, ", ")));
}

std::string model_type_of(const fs::path& directory) {
  const auto config = read_json_object(directory / "config_sentence_transformers.json");
  return (config ? config->string("model_type") : std::nullopt).value_or("SentenceTransformer");
}

}  // namespace

ModuleList read_module_list(const fs::path& directory) {
  ModuleList list{directory, {}, {}};
  const fs::path path = directory / "modules.json";
  if (!is_there(path)) return list;
  if (auto type = model_type_of(directory); type != "SentenceTransformer") {
    list.converted_from = std::move(type);
    return list;
  }
  const std::string where = path_text(path);
  Json json = read_json(path);
  if (!json.is_array()) throw ConfigError(where, "expected a list of modules, got " + shown(json));
  for (Json& item : json) {
    const JsonObject module(std::move(item), where);
    const auto type = module.string("type");
    const auto relative = module.string("path");
    if (!type) module.refuse("type", "a module's type");
    if (!relative) module.refuse("path", "a module's folder");
    list.modules.push_back({kind_of(*type, where), below(directory, *relative, where)});
  }
  check_order(list.modules, where);
  return list;
}

}  // namespace summand::io
