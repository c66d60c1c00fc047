#include "model/window_bert.hpp"

#include <string>

#include "model/parameters.hpp"

namespace summand::model {

namespace {

constexpr const char* kTokens = "embeddings.word_embeddings.weight";

}  // namespace

Config window_bert_config(const Config& config) {
  const WindowEncoder& size = config.window_encoder.value();
  Config bert;
  bert.vocab_size = 1;
  bert.hidden_size = config.hidden_size;
  bert.num_hidden_layers = size.layers;
  bert.num_attention_heads = config.num_attention_heads;
  bert.intermediate_size = config.intermediate_size;
  bert.max_position_embeddings = size.most_windows + 1;
  bert.type_vocab_size = 1;
  bert.hidden_act = config.hidden_act;
  bert.layer_norm_eps = config.layer_norm_eps;
  bert.initializer_range = config.initializer_range;
  bert.hidden_dropout_prob = config.hidden_dropout_prob;
  bert.attention_probs_dropout_prob = config.attention_probs_dropout_prob;
  bert.classifier_dropout = config.classifier_dropout;
  bert.labels = config.labels;
  bert.problem_type = config.problem_type;
  bert.segment = SegmentKind::none;
  return bert;
}

std::vector<Parameter> window_encoder_parameters(const Config& config) {
  std::vector<Parameter> own;
  for (Parameter& parameter : parameters(window_bert_config(config), {})) {
    if (parameter.part == ParameterGroup::token_table) continue;
    parameter.name.insert(0, kWindowEncoderPrefix);
    parameter.part = ParameterGroup::window_encoder;
    own.push_back(std::move(parameter));
  }
  return own;
}

std::string_view name_in_window_bert(std::string_view name) {
  if (name.starts_with(kWindowEncoderPrefix)) return name.substr(kWindowEncoderPrefix.size());
  return name.starts_with("pooler.") || name.starts_with("classifier.") ? name : std::string_view();
}

Weights window_bert_weights(const Config& config, const Weights& weights) {
  Weights own;
  const auto hidden = static_cast<size_t>(config.hidden_size);
  own.set(kTokens, make_tensor({1, hidden}, std::vector<float>(hidden)));
  for (const auto& [name, tensor] : weights) {
    if (const auto short_name = name_in_window_bert(name); !short_name.empty())
      own.set(std::string(short_name), tensor);
  }
  return own;
}

Batch window_batch(std::span<const size_t> offsets) {
  Batch batch;
  for (size_t text = 0; text + 1 < offsets.size(); ++text) {
    const std::vector<int32_t> places(offsets[text + 1] - offsets[text] + 1);
    batch.add(places, places);
  }
  return batch;
}

}  // namespace summand::model
