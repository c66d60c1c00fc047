#pragma once

#include <string>
#include <string_view>

#include "model/config.hpp"

namespace summand::model {

/// `model_type` of a model that other programs would compute as another one. Its `architectures` begin with "Summand".
inline constexpr std::string_view kOwnModelType = "summand-bert";
inline constexpr std::string_view kOwnArchitecture = "Summand";

/// Whether Hugging Face's BERT, given the same tensors, would compute something else.
[[nodiscard]] bool runs_here_alone(const Config& config);

/// A config.json as a checkpoint has it. transformers refuses a model that runs here alone: its Auto classes for the
/// `model_type`, its BERT classes, which only warn of that, for a `quantization_config` without `quant_method`.
/// @param json  that parse_config reads; every other key stays
[[nodiscard]] std::string as_checkpoint(std::string_view json);

/// config.json of a checkpoint: as_checkpoint() of to_json(), and of a classifier label2id, which transformers does not
/// make from id2label.
[[nodiscard]] std::string checkpoint_json(const Config& config);

}  // namespace summand::model
