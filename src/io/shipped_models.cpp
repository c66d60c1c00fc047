#include "io/shipped_models.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/platform.hpp"

namespace summand::io {

namespace fs = std::filesystem;

fs::path shipped_models_folder() {
  if (const char* folder = std::getenv("SUMMAND_MODELS"); folder != nullptr && *folder != '\0') return folder;
  return program_path().parent_path().parent_path() / "share" / "summand" / "models";
}

std::optional<fs::path> shipped_model(std::string_view name) {
  const fs::path path(name);
  if (path.empty() || path != path.filename()) return std::nullopt;
  const fs::path folder = shipped_models_folder() / path;
  std::error_code ignored;
  if (!fs::exists(folder / "config.json", ignored)) return std::nullopt;
  return folder;
}

std::vector<std::string> shipped_model_names() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(shipped_models_folder(), none)) {
    std::string name = entry.path().filename().string();
    if (shipped_model(name)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace summand::io
