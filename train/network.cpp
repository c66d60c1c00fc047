#include "train/network.hpp"

#include <limits>
#include <utility>

#include "model/attention/attend.hpp"
#include "model/input_rows.hpp"
#include "model/parameters.hpp"
#include "model/position.hpp"
#include "train/autocast.hpp"
#include "train/packed_attention.hpp"
#include "train/tensor_ops.hpp"

namespace summand::train {

/// The rows of all tokens, [tokens, width].
struct Network::Parts : model::InputParts<at::Tensor> {};

/// A layer with its batch and its dropout.
struct Network::Layer {
  size_t index;
  const model::Batch& batch;
  const Dropout* dropout;

  [[nodiscard]] std::string name(const char* rest) const { return model::layer_parameter(index, rest); }
  [[nodiscard]] at::Tensor dropped(const at::Tensor& rows, const char* rest) const {
    return dropout == nullptr ? rows : dropout->hidden(rows, name(rest));
  }
};

Network::Network(const model::Config& config, const model::ModelParts& parts, const model::Weights& weights,
                 const Placement& placement)
    : config_(config), parameters_(config, parts, weights, placement) {}

Network::Parts Network::parts_of(const model::Batch& batch) const {
  std::vector<int32_t> token, position, segment;
  for (size_t text = 0; text < batch.texts(); ++text) {
    const model::InputRows rows(config_, batch, text);
    token.insert(token.end(), rows.token().begin(), rows.token().end());
    position.insert(position.end(), rows.position().begin(), rows.position().end());
    segment.insert(segment.end(), rows.segment().begin(), rows.segment().end());
  }
  const Placement& placement = parameters_.placement();
  const auto picked = [&](const at::Tensor& table, const std::vector<int32_t>& rows) {
    return at::embedding(table, index_tensor(std::span<const int32_t>(rows), placement));
  };
  const model::PartWidths widths = config_.part_widths();
  const auto zeros = [&](size_t width) { return tensor_of(Matrix<double>(batch.tokens(), width), placement); };
  Parts parts;
  parts.token = picked(parameters_.at("embeddings.word_embeddings.weight"), token);
  TableTensorOps ops(parameters_);
  const Autocast exact(Precision::fp32, placement.device.type());  // a position in bf16 is none beyond the 256th
  parts.position = std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.table(ops, config_.position_table_size()); }) {
          return picked(one.table(ops, config_.position_table_size()), position);
        } else {
          return zeros(widths.position);
        }
      },
      config_.position);
  parts.segment = config_.segment == model::SegmentKind::learned
                      ? picked(parameters_.at("embeddings.token_type_embeddings.weight"), segment)
                      : zeros(widths.segment);
  return parts;
}

at::Tensor Network::composed(const Parts& parts) const {
  TokenTensorOps ops(parameters_);
  const at::Tensor sum = model::compose(config_.composition, ops, parts);
  return config_.normalise_input ? norm(sum, "embeddings.LayerNorm") : sum;
}

Pass Network::run(const model::Batch& batch, const Dropout* dropout) const {
  model::check(batch, config_);
  const Parts parts = parts_of(batch);
  Pass pass;
  const at::Tensor input_rows = composed(parts);
  pass.hidden_states.push_back(dropout == nullptr ? input_rows : dropout->hidden(input_rows, "embeddings"));
  for (size_t index = 0; index < static_cast<size_t>(config_.num_hidden_layers); ++index) {
    at::Tensor input = pass.hidden_states.back();
    if (index > 0 && config_.per_layer_inputs.token) input = input + parts.token;
    if (index > 0 && config_.per_layer_inputs.position) input = input + parts.position;
    if (index > 0 && config_.per_layer_inputs.segment) input = input + parts.segment;
    pass.hidden_states.push_back(layer({.index = index, .batch = batch, .dropout = dropout}, input));
  }
  if (parameters_.find("pooler.dense.weight") != nullptr) {
    const std::vector<size_t> first(batch.offsets.begin(), batch.offsets.end() - 1);
    const at::Tensor rows = pass.hidden_states.back().index_select(0, index_tensor(first, parameters_.placement()));
    pass.pooled = at::tanh(linear(rows, "pooler.dense"));
  }
  return pass;
}

at::Tensor Network::layer(const Layer& layer, const at::Tensor& input) const {
  const auto dense = [&](const at::Tensor& rows, const char* name) {
    return layer.dropped(linear(rows, layer.name(name)), name);
  };
  const at::Tensor attention = dense(attended(layer, input), "attention.output.dense");
  const at::Tensor middle = norm(attention + input, layer.name("attention.output.LayerNorm"));
  const at::Tensor inner = activated(linear(middle, layer.name("intermediate.dense")));
  return norm(dense(inner, "output.dense") + middle, layer.name("output.LayerNorm"));
}

at::Tensor Network::attended(const Layer& layer, const at::Tensor& input) const {
  const auto mapped = [&](bool exists, const char* map) {
    return exists ? linear(input, model::attention_prefix(layer.index) + map) : input;
  };
  const auto query_key = config_.attention.query_key;
  const bool maps = query_key != model::QueryKeyMaps::none;
  const at::Tensor query = mapped(maps, "query");
  const at::Tensor key = mapped(maps, query_key == model::QueryKeyMaps::tied ? "query" : "key");
  const at::Tensor value = mapped(config_.attention.value, "value");
  const model::Batch& batch = layer.batch;
  const bool plain = config_.encodings_in_attention().empty() && !config_.attention.causal &&
                     (layer.dropout == nullptr || !layer.dropout->drops_attention());
  if (plain) {
    return packed_attention(query, key, value, batch.offsets, config_.num_attention_heads, config_.score_scale());
  }
  std::vector<int64_t> lengths;
  for (size_t text = 0; text < batch.texts(); ++text) lengths.push_back(static_cast<int64_t>(batch.length(text)));
  const auto by_text = [&](const at::Tensor& rows) { return rows.split_with_sizes(lengths, 0); };
  const auto queries = by_text(query), keys = by_text(key), values = by_text(value);
  std::vector<at::Tensor> contexts;
  for (size_t text = 0; text < batch.texts(); ++text) {
    const auto heads = [&](const at::Tensor& rows) {
      return rows.unflatten(-1, {config_.num_attention_heads, config_.head_size()}).transpose(0, 1);
    };
    const at::Tensor own = context(layer, text, heads(queries[text]), heads(keys[text]), heads(values[text]));
    contexts.push_back(own.transpose(0, 1).flatten(1));
  }
  return at::cat(contexts, 0);
}

/// AttendOps of all heads of one text: matrices are [heads, length, head size], scores and weights [heads, length,
/// length].
class Network::TextAttention : public MatrixTensorOps {
 public:
  TextAttention(const Placement& placement, const Layer& layer, size_t text)
      : MatrixTensorOps(placement), layer_(layer), text_(text) {}

  [[nodiscard]] Value causally_masked(const Value& scores) const {
    const at::Tensor later = at::ones({scores.size(-2), scores.size(-1)}, scores.options().dtype(at::kBool)).triu(1);
    return scores.masked_fill(later, -std::numeric_limits<double>::infinity());
  }
  [[nodiscard]] Value weights(const Value& scores) const {
    const at::Tensor weights = at::softmax(scores, -1);
    if (layer_.dropout == nullptr) return weights;
    return layer_.dropout->attention(weights, layer_.name("attention.self") + std::to_string(text_));
  }

 private:
  const Layer& layer_;
  size_t text_;
};

at::Tensor Network::context(const Layer& layer, size_t text, const at::Tensor& query, const at::Tensor& key,
                            const at::Tensor& value) const {
  const auto existing = config_.encodings_in_attention();
  std::vector<model::QueryKeyTokens> tokens;
  for (const auto& one : existing) tokens.push_back(model::query_key_tokens(one, layer.batch, text));
  model::AppliedEncodings<HeadTensorOps> encodings;
  for (size_t i = 0; i < existing.size(); ++i) {
    encodings.push_back({existing[i], tokens[i], {parameters_, existing[i], layer.index, config_.layer_norm_eps}});
  }
  TextAttention ops(parameters_.placement(), layer, text);
  return model::attend(config_, ops, encodings, {query, key, value});
}

at::Tensor Network::logits(model::Head head, const Pass& pass, const std::vector<size_t>& tokens) const {
  switch (head) {
    case model::Head::masked_language: {
      const at::Tensor rows = pass.hidden_states.back().index_select(0, index_tensor(tokens, parameters_.placement()));
      const at::Tensor transformed =
          norm(activated(linear(rows, "cls.predictions.transform.dense")), "cls.predictions.transform.LayerNorm");
      if (parameters_.find("cls.predictions.decoder.weight") != nullptr) {
        return linear(transformed, "cls.predictions.decoder");
      }
      return at::linear(transformed, parameters_.at("embeddings.word_embeddings.weight"),
                        parameters_.at("cls.predictions.bias"));
    }
    case model::Head::next_sentence:
      return linear(pass.pooled, "cls.seq_relationship");
    case model::Head::sequence_classification:
      return linear(pass.pooled, "classifier");
    case model::Head::token_classification:
      return linear(pass.hidden_states.back(), "classifier");
    case model::Head::question_answering:
      return linear(pass.hidden_states.back(), "qa_outputs");
  }
  __builtin_unreachable();
}

at::Tensor Network::linear(const at::Tensor& input, const std::string& name) const {
  return at::linear(input, parameters_.at(name + ".weight"), parameters_.at(name + ".bias"));
}

at::Tensor Network::norm(const at::Tensor& input, const std::string& name) const {
  return at::layer_norm(input, {input.size(-1)}, parameters_.at(name + ".weight"), parameters_.at(name + ".bias"),
                        config_.layer_norm_eps);
}

at::Tensor Network::activated(const at::Tensor& input) const {
  switch (config_.hidden_act) {
    case model::Activation::gelu:
      return at::gelu(input);
    case model::Activation::gelu_tanh:
      return at::gelu(input, "tanh");
    case model::Activation::relu:
      return at::relu(input);
    case model::Activation::silu:
      return at::silu(input);
    case model::Activation::tanh:
      return at::tanh(input);
    case model::Activation::linear:
      return input;
    case model::Activation::half:
      return 0.5 * input;
  }
  __builtin_unreachable();
}

}  // namespace summand::train
