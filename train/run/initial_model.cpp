#include "train/run/initial_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "model/initialise.hpp"

namespace summand::train {

namespace {

void check_share(const char* key, double value, const std::string& where) {
  if (value >= 0 && static_cast<float>(value) < 1) return;
  throw ConfigError(where, fmt::format("{}: expected at least 0, below 1, got {}", key, value));
}

}  // namespace

std::string hash_of_weights(const model::Weights& weights) {
  Hash hash;
  for (const auto& [name, tensor] : weights) {
    hash.add(name);
    hash.add_number(static_cast<uint64_t>(tensor.dtype));
    hash.add_bytes(tensor.bytes);
  }
  return fmt::format("{:016x}", hash.value());
}

void draw_missing(InitialModel& model, uint64_t seed) {
  model::Weights drawn = model::initialise(model.config, model.parts, seed);
  for (const auto& [name, tensor] : drawn) {
    if (!model.weights.contains(name)) model.weights.set(name, tensor);
  }
}

void check_trainable(const model::Config& config, const std::string& where) {
  check_share("hidden_dropout_prob", config.hidden_dropout_prob, where);
  check_share("attention_probs_dropout_prob", config.attention_probs_dropout_prob, where);
  if (config.classifier_dropout) check_share("classifier_dropout", *config.classifier_dropout, where);
  if (config.initializer_range >= 0 && std::isfinite(static_cast<float>(config.initializer_range))) return;
  throw ConfigError(where,
                    fmt::format("initializer_range: expected at least 0, and a number in single precision, got {}",
                                config.initializer_range));
}

std::string parts_beyond(const model::ModelParts& one, const model::ModelParts& other) {
  std::vector<std::string> names;
  if (one.pooler == model::Pooler::present && other.pooler != model::Pooler::present) names.emplace_back("pooler");
  for (const model::Head head : one.heads) {
    if (!other.has(head)) names.push_back(fmt::format("{} head", model::name_of(head)));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace summand::train
