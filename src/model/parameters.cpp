#include "model/parameters.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "model/composition.hpp"
#include "model/contract.hpp"
#include "model/window_bert.hpp"

namespace summand::model {

namespace {

void add_table(Contract& contract, const std::string& name, int64_t rows, size_t width, ParameterGroup part) {
  contract.part(part);
  contract.matrix("embeddings." + name + "_embeddings.weight", static_cast<size_t>(rows), width);
}

void add_embeddings(Contract& contract, const Config& config) {
  const auto hidden = static_cast<size_t>(config.hidden_size);
  const PartWidths widths = config.part_widths();
  add_table(contract, "word", config.token_table_rows(), widths.token, ParameterGroup::token_table);
  add_parameters(config.position, config.position_table_size(), contract);
  if (config.segment == SegmentKind::learned) {
    add_table(contract, "token_type", config.type_vocab_size, widths.segment, ParameterGroup::segment_table);
  }
  add_parameters(config.composition, hidden, contract);
  contract.part(ParameterGroup::embedding_norm);
  if (config.normalise_input) contract.norm("embeddings.LayerNorm", hidden);
  for (const auto& encoding : {config.positions_in_attention(), config.segments_in_attention()}) {
    contract.part(ParameterGroup::attention_encoding,
                  std::string(kSharedAttentionPrefix) + std::string(encoding.prefix));
    add_shared_parameters(encoding, contract);
  }
}

std::vector<std::string> maps_of(const SelfAttention& attention) {
  std::vector<std::string> maps;
  if (attention.query_key != QueryKeyMaps::none) maps.emplace_back("query");
  if (attention.query_key == QueryKeyMaps::own) maps.emplace_back("key");
  if (attention.value) maps.emplace_back("value");
  return maps;
}

void add_layer(Contract& contract, const Config& config, size_t layer) {
  const auto hidden = static_cast<size_t>(config.hidden_size);
  const auto intermediate = static_cast<size_t>(config.intermediate_size);
  contract.part(ParameterGroup::encoder);
  for (const auto& map : maps_of(config.attention)) contract.linear(attention_prefix(layer) + map, hidden, hidden);
  for (const auto& encoding : {config.positions_in_attention(), config.segments_in_attention()}) {
    contract.part(ParameterGroup::attention_encoding, attention_prefix(layer) + std::string(encoding.prefix));
    add_layer_parameters(encoding, contract);
  }
  contract.part(ParameterGroup::encoder);
  contract.linear(layer_parameter(layer, "attention.output.dense"), hidden, hidden);
  contract.norm(layer_parameter(layer, "attention.output.LayerNorm"), hidden);
  contract.linear(layer_parameter(layer, "intermediate.dense"), intermediate, hidden);
  contract.linear(layer_parameter(layer, "output.dense"), hidden, intermediate);
  contract.norm(layer_parameter(layer, "output.LayerNorm"), hidden);
}

}  // namespace

std::string layer_parameter(size_t layer, std::string_view rest) {
  return fmt::format("encoder.layer.{}.{}", layer, rest);
}

std::vector<Parameter> head_parameters(const Config& config, Head head, Decoder decoder) {
  const auto hidden = static_cast<size_t>(config.hidden_size);
  const auto vocabulary = static_cast<size_t>(config.vocab_size);
  Contract contract(ParameterGroup::heads);
  switch (head) {
    case Head::masked_language:
      contract.linear("cls.predictions.transform.dense", hidden, hidden);
      contract.norm("cls.predictions.transform.LayerNorm", hidden);
      if (decoder == Decoder::own) {
        contract.linear("cls.predictions.decoder", vocabulary, hidden);
      } else {
        contract.vector("cls.predictions.bias", vocabulary, Initialiser::zeros);
      }
      break;
    case Head::next_sentence:
      contract.linear("cls.seq_relationship", 2, hidden);
      break;
    case Head::sequence_classification:
    case Head::token_classification:
      contract.linear("classifier", config.labels.size(), hidden);
      break;
    case Head::question_answering:
      contract.linear("qa_outputs", 2, hidden);
      break;
  }
  return contract.take();
}

std::vector<Parameter> parameters(const Config& config, const ModelParts& parts) {
  Contract contract;
  add_embeddings(contract, config);
  for (size_t layer = 0; layer < static_cast<size_t>(config.num_hidden_layers); ++layer) {
    add_layer(contract, config, layer);
  }
  if (parts.pooler == Pooler::present) {
    const auto hidden = static_cast<size_t>(config.hidden_size);
    contract.part(ParameterGroup::pooler);
    contract.linear("pooler.dense", hidden, hidden);
  }
  const auto hidden = static_cast<size_t>(config.hidden_size);
  const bool tied = parts.has(Head::masked_language) && parts.decoder == Decoder::tied;
  if (tied && config.token_table_rows() != config.vocab_size) {
    throw ConfigError("config",
                      "summand.composition: expected another one than 'joint_table' with a decoder that is "
                      "tied to the token table, got it");
  }
  const size_t token_width = widths_of(config.composition, hidden).token;
  if (tied && token_width != hidden) {
    throw ConfigError("config", fmt::format("summand.composition_token_width: expected hidden_size ({}) with a "
                                            "decoder that is tied to the token table, got {}",
                                            hidden, token_width));
  }
  auto list = contract.take();
  if (config.window_encoder) {
    for (auto& parameter : window_encoder_parameters(config)) list.push_back(std::move(parameter));
  }
  for (const Head head : parts.heads) {
    for (auto& parameter : head_parameters(config, head, parts.decoder)) list.push_back(std::move(parameter));
  }
  return list;
}

}  // namespace summand::model
