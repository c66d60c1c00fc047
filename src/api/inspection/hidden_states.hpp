#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "summand/hidden_states.hpp"

namespace summand::api {

using summand::HiddenOptions;
using summand::HiddenStates;

/// Implements Model::hidden.
[[nodiscard]] HiddenStates hidden_states(const LoadedModel& model, const TextList& texts, const HiddenOptions& options);

struct HiddenReport {
  ReadCount count;
  std::vector<size_t> layers;
};

/// Runs the texts and writes a safetensors file: `ids`, `segments` [tokens] and `offsets` [texts + 1] as I64,
/// `hidden.0` … `hidden.L` [tokens, hidden] as F32, where hidden.0 is the normalised sum, and `pooled` [texts, hidden]
/// if the model has a pooler. The file appears whole or not at all.
/// @throws UsageError if a layer does not exist; IoError if the file cannot be written
HiddenReport write_hidden_states(const LoadedModel& model, const TextList& texts, const HiddenOptions& options,
                                 const std::filesystem::path& out);

}  // namespace summand::api
