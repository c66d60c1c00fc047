#include "io/resolve_model.hpp"

#include <system_error>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "base/paths.hpp"
#include "io/hub_cache.hpp"
#include "io/shipped_models.hpp"

namespace summand::io {

namespace fs = std::filesystem;

fs::path resolve_model(std::string_view name_or_path) {
  const fs::path path(name_or_path);
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return path;
  if (fs::exists(path, ignored)) {
    throw CheckpointError(path_text(path), "expected a checkpoint directory, got a file");
  }
  if (const auto shipped = shipped_model(name_or_path)) return *shipped;
  return hub_model(name_or_path, {shipped_models_folder()}, did_you_mean(name_or_path, shipped_model_names()));
}

}  // namespace summand::io
