#include "api/rerank_activation.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/json_file.hpp"

namespace summand::api {

std::optional<NamedActivation> read_rerank_activation(const io::Checkpoint& checkpoint) {
  if (checkpoint.config.config.labels.size() != 1) return std::nullopt;
  if (const auto file = read_json_object(checkpoint.directory / "config_sentence_transformers.json")) {
    if (auto name = file->string("activation_fn")) return NamedActivation{*std::move(name), file->where()};
  }
  const auto config = read_json_object(checkpoint.transformer_directory / "config.json");
  if (!config) return std::nullopt;
  const auto nested = config->object_or_empty("sentence_transformers");
  if (auto name = nested.string("activation_fn")) return NamedActivation{*std::move(name), nested.where()};
  if (auto name = config->string("sbert_ce_default_activation_function")) {
    return NamedActivation{*std::move(name), config->where()};
  }
  return std::nullopt;
}

ScoreFunction rerank_function(const std::optional<NamedActivation>& named) {
  if (!named) return ScoreFunction::sigmoid;
  const std::string_view name = named->name;
  const std::string_view own_name = name.substr(name.rfind('.') + 1);
  if (name.starts_with("torch.") && own_name == "Sigmoid") return ScoreFunction::sigmoid;
  if (name.starts_with("torch.") && own_name == "Identity") return ScoreFunction::identity;
  throw ConfigError(named->where, fmt::format("activation function: expected torch's Sigmoid or Identity, got '{}'",
                                              printable(name)));
}

}  // namespace summand::api
