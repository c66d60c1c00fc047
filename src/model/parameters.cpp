#include "model/parameters.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <numeric>

namespace summand::model {

namespace {

class Contract {
 public:
  void table(std::string name, size_t rows, size_t columns, Part part) {
    list_.push_back({std::move(name), {rows, columns}, Initialiser::normal, part});
  }
  void linear(const std::string& name, size_t out, size_t in, Part part) {
    list_.push_back({name + ".weight", {out, in}, Initialiser::normal, part});
    list_.push_back({name + ".bias", {out}, Initialiser::zeros, part});
  }
  void vector(std::string name, size_t width, Initialiser initialiser, Part part) {
    list_.push_back({std::move(name), {width}, initialiser, part});
  }
  void norm(const std::string& name, size_t width, Part part) {
    vector(name + ".weight", width, Initialiser::ones, part);
    vector(name + ".bias", width, Initialiser::zeros, part);
  }
  [[nodiscard]] std::vector<Parameter> take() { return std::move(list_); }

 private:
  std::vector<Parameter> list_;
};

void add_composition(Contract& contract, InputComposition composition, size_t hidden) {
  const std::string prefix = "embeddings.composition.";
  const std::array parts{"token", "position", "segment"};
  switch (composition) {
    case InputComposition::sum:
    case InputComposition::multiplicative:
      return;
    case InputComposition::scaled_sum:
    case InputComposition::weighted_sum:
      for (const auto* part : parts) {
        const size_t width = composition == InputComposition::scaled_sum ? 1 : hidden;
        contract.vector(prefix + part + "_scale", width, Initialiser::ones, Part::composition);
      }
      return;
    case InputComposition::scalar_gate:
    case InputComposition::vector_gate:
      for (const auto* part : parts) {
        const size_t width = composition == InputComposition::scalar_gate ? 1 : hidden;
        contract.linear(prefix + part + "_gate", width, 3 * hidden, Part::composition);
      }
      return;
    case InputComposition::concatenate_project:
      contract.table(prefix + "projection.weight", hidden, 3 * hidden, Part::composition);
      return;
  }
}

void add_embeddings(Contract& contract, const Config& config) {
  const auto hidden = static_cast<size_t>(config.hidden_size);
  contract.table("embeddings.word_embeddings.weight", static_cast<size_t>(config.vocab_size), hidden,
                 Part::token_table);
  if (config.position.kind == PositionKind::learned) {
    contract.table("embeddings.position_embeddings.weight", static_cast<size_t>(config.max_position_embeddings), hidden,
                   Part::position_table);
  }
  contract.table("embeddings.token_type_embeddings.weight", static_cast<size_t>(config.type_vocab_size), hidden,
                 Part::segment_table);
  add_composition(contract, config.composition, hidden);
  contract.norm("embeddings.LayerNorm", hidden, Part::embedding_norm);
}

void add_layer(Contract& contract, const Config& config, size_t layer) {
  const auto hidden = static_cast<size_t>(config.hidden_size);
  const auto intermediate = static_cast<size_t>(config.intermediate_size);
  for (const auto* projection : {"query", "key", "value"}) {
    contract.linear(layer_parameter(layer, fmt::format("attention.self.{}", projection)), hidden, hidden,
                    Part::encoder);
  }
  contract.linear(layer_parameter(layer, "attention.output.dense"), hidden, hidden, Part::encoder);
  contract.norm(layer_parameter(layer, "attention.output.LayerNorm"), hidden, Part::encoder);
  contract.linear(layer_parameter(layer, "intermediate.dense"), intermediate, hidden, Part::encoder);
  contract.linear(layer_parameter(layer, "output.dense"), hidden, intermediate, Part::encoder);
  contract.norm(layer_parameter(layer, "output.LayerNorm"), hidden, Part::encoder);
}

}  // namespace

std::span<const EnumName<Part>> enum_names(Part) {
  static constexpr std::array names{
      EnumName{Part::token_table, "token table"},
      EnumName{Part::position_table, "position table"},
      EnumName{Part::segment_table, "segment table"},
      EnumName{Part::composition, "composition"},
      EnumName{Part::embedding_norm, "input norm"},
      EnumName{Part::encoder, "encoder"},
      EnumName{Part::pooler, "pooler"},
      EnumName{Part::heads, "heads"},
  };
  return names;
}

std::string layer_parameter(size_t layer, std::string_view rest) {
  return fmt::format("encoder.layer.{}.{}", layer, rest);
}

size_t elements(const Parameter& parameter) {
  return std::accumulate(parameter.shape.begin(), parameter.shape.end(), size_t{1}, std::multiplies<>());
}

std::vector<Parameter> head_parameters(const Config& config, Head head, Decoder decoder) {
  const auto hidden = static_cast<size_t>(config.hidden_size);
  const auto vocabulary = static_cast<size_t>(config.vocab_size);
  Contract contract;
  switch (head) {
    case Head::masked_language:
      contract.linear("cls.predictions.transform.dense", hidden, hidden, Part::heads);
      contract.norm("cls.predictions.transform.LayerNorm", hidden, Part::heads);
      if (decoder == Decoder::own) {
        contract.linear("cls.predictions.decoder", vocabulary, hidden, Part::heads);
      } else {
        contract.vector("cls.predictions.bias", vocabulary, Initialiser::zeros, Part::heads);
      }
      break;
    case Head::next_sentence:
      contract.linear("cls.seq_relationship", 2, hidden, Part::heads);
      break;
    case Head::sequence_classification:
    case Head::token_classification:
      contract.linear("classifier", config.labels.size(), hidden, Part::heads);
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
    contract.linear("pooler.dense", hidden, hidden, Part::pooler);
  }
  auto list = contract.take();
  for (const Head head : parts.heads) {
    for (auto& parameter : head_parameters(config, head, parts.decoder)) list.push_back(std::move(parameter));
  }
  return list;
}

}  // namespace summand::model
