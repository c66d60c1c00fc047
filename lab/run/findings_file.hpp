#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "lab/core/experiment.hpp"
#include "lab/run/run_settings.hpp"

namespace summand::lab {

/// What one experiment left, kept so that it need not run again.
struct KeptFindings {
  Findings findings;
  double seconds = 0;  ///< that it took when it ran
  RunSettings settings;
};

/// Of what run a file of findings is.
struct FindingsOrigin {
  uint64_t key = 0;
  RunSettings settings;
};

/// Writes findings to a file that appears whole or not at all.
/// @param key  of everything that they depend on
/// @throws IoError
void keep_findings(const std::filesystem::path& file, uint64_t key, const KeptFindings& kept);

/// What keep_findings() wrote; nothing where there is no such file, or one of another key or that cannot be read.
[[nodiscard]] std::optional<KeptFindings> find_findings(const std::filesystem::path& file, uint64_t key);

/// Whose findings lie in a file; nothing where it is not there or cannot be read.
[[nodiscard]] std::optional<FindingsOrigin> find_origin(const std::filesystem::path& file);

}  // namespace summand::lab
