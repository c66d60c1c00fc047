#pragma once

#include <optional>
#include <string>

#include "io/checkpoint.hpp"
#include "model/module_activation.hpp"

namespace summand::api {

/// The function from a reranker's logit to its score, as named in the checkpoint's files.
struct NamedActivation {
  std::string name;   ///< as in "torch.nn.modules.activation.Sigmoid"
  std::string where;  ///< the file that names it
  std::string fault;  ///< why it cannot be read; `name` is then empty
};

/// Reads it from the files, in the places used by sentence-transformers, the newest first. Happens once, at load: later
/// changes of the files have no effect.
/// @return none also for a model with more or fewer labels than one, which is not a reranker
/// Source: sentence-transformers 6.2, cross_encoder/model.py, _parse_model_config and get_default_activation_fn
[[nodiscard]] std::optional<NamedActivation> read_rerank_activation(const io::Checkpoint& checkpoint);

/// @param named  none: the logistic function
/// @throws ConfigError if it could not be read, or is not an elementwise function of torch.nn
[[nodiscard]] model::TorchActivation rerank_function(const std::optional<NamedActivation>& named);

}  // namespace summand::api
