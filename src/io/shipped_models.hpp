#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace summand::io {

/// The folder of the models that ship with summand: SUMMAND_MODELS, else share/summand/models next to the program's
/// folder, as in an install and in the build. It need not exist.
[[nodiscard]] std::filesystem::path shipped_models_folder();

/// The checkpoint of a model that comes with summand, "summand-mini" for example, if it is there.
[[nodiscard]] std::optional<std::filesystem::path> shipped_model(std::string_view name);

/// The names of the shipped models, in order.
[[nodiscard]] std::vector<std::string> shipped_model_names();

}  // namespace summand::io
