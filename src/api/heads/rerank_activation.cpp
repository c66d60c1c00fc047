#include "api/heads/rerank_activation.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/json_file.hpp"

namespace summand::api {

namespace {

std::optional<NamedActivation> read(const io::Checkpoint& checkpoint) {
  if (const auto file = read_json_object(checkpoint.directory / "config_sentence_transformers.json")) {
    if (auto name = file->string("activation_fn")) return NamedActivation{*std::move(name), file->where(), {}};
  }
  const auto config = read_json_object(checkpoint.transformer_directory / "config.json");
  if (!config) return std::nullopt;
  const auto nested = config->object_or_empty("sentence_transformers");
  if (auto name = nested.string("activation_fn")) return NamedActivation{*std::move(name), nested.where(), {}};
  if (auto name = config->string("sbert_ce_default_activation_function")) {
    return NamedActivation{*std::move(name), config->where(), {}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<NamedActivation> read_rerank_activation(const io::Checkpoint& checkpoint) {
  if (checkpoint.config.config.labels.size() != 1) return std::nullopt;
  try {
    return read(checkpoint);
  } catch (const Error& error) {
    return NamedActivation{{}, std::string(error.where()), std::string(error.message())};
  }
}

model::TorchActivation rerank_function(const std::optional<NamedActivation>& named) {
  if (!named) return model::TorchActivation::sigmoid;
  if (!named->fault.empty()) throw ConfigError(named->where, named->fault);
  const auto known = model::torch_activation_named(named->name);
  if (known && model::is_elementwise(*known)) return *known;
  throw ConfigError(named->where,
                    fmt::format("activation function: expected one of torch.nn's {}, and none that makes one score of "
                                "several, got '{}'",
                                model::known_torch_activations(), printable(named->name)));
}

}  // namespace summand::api
