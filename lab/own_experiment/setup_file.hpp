#pragma once

#include <filesystem>

#include "lab/own_experiment/setup.hpp"

namespace summand::lab::own {

/// @throws IoError if the file cannot be read; ConfigError, one line of file, key, expected and got, for what it may
///   not hold, unknown keys among it
[[nodiscard]] Setup read_setup(const std::filesystem::path& file);

}  // namespace summand::lab::own
