#pragma once

#include <optional>
#include <string>

#include "io/checkpoint.hpp"
#include "model/module_activation.hpp"

namespace summand::api {

/// The function that a checkpoint's files name for turning a reranker's logit into its score.
struct NamedActivation {
  std::string name;   ///< as in "torch.nn.modules.activation.Sigmoid"
  std::string where;  ///< the file that says it
  std::string fault;  ///< why it cannot be read; then there is no name
};

/// Reads what the files say, the newest place where sentence-transformers wrote it first. Done once, when a model is
/// loaded: what changes in the directory afterwards changes no score.
/// @return none as well for a model that has not one label, which is no reranker
/// Source: sentence-transformers 6.2, cross_encoder/model.py, _parse_model_config and get_default_activation_fn
[[nodiscard]] std::optional<NamedActivation> read_rerank_activation(const io::Checkpoint& checkpoint);

/// @param named  none: the logistic function
/// @throws ConfigError if it could not be read, or is no function of torch.nn that makes a score of one logit
[[nodiscard]] model::TorchActivation rerank_function(const std::optional<NamedActivation>& named);

}  // namespace summand::api
