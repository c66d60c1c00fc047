#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "lab/plant/kinds.hpp"

namespace summand::lab {

struct PlantRequest {
  std::string kind;
  std::filesystem::path out;  ///< does not exist, or is an empty directory
  uint64_t seed = 0;
  PlantOptions options;
};

/// Writes a table (table.npy) or a checkpoint with a known truth into a directory that appears whole or not at all, and
/// truth.json beside it: kind, parameters, seed, the source and its hash, and "truth", a map from claims, and from
/// other things that are so, to what must come out, what must not, or what is so, and why.
/// @return what was written, and the truth, in a line each
/// @throws UsageError for a kind or an option that there is not, or a value that makes nothing; IoError, ConfigError,
///   CheckpointError, TextError for a source that cannot be read or an output that cannot be written
std::string plant_truth(const PlantRequest& request);

}  // namespace summand::lab
