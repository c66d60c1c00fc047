#include "train/network/network.hpp"

#include <algorithm>
#include <utility>

#include "model/input_rows.hpp"
#include "model/parameters.hpp"
#include "model/position.hpp"
#include "train/network/attention.hpp"
#include "train/network/autocast.hpp"
#include "train/network/dense_activation.hpp"
#include "train/network/dense_norm.hpp"
#include "train/network/products.hpp"
#include "train/network/table_rows.hpp"
#include "train/network/tensor_ops.hpp"

namespace summand::train {

/// The rows of all tokens, [tokens, width].
struct Network::Parts : model::InputParts<at::Tensor> {};

/// A layer with its attention, its dropout and the tokens whose output is needed; undefined: all.
struct Network::Layer {
  size_t index;
  const Attention& attention;
  const Dropout* dropout;
  at::Tensor needed;

  [[nodiscard]] std::string name(const char* rest) const { return model::layer_parameter(index, rest); }
  [[nodiscard]] at::Tensor dropped(const at::Tensor& rows, const char* rest) const {
    return dropout == nullptr ? rows : dropout->hidden(rows, name(rest));
  }
};

namespace {

/// Converts rows once for all products that read them.
NormalisedRows for_products(const at::Tensor& rows) {
  const bool converts = rows.is_cpu() && rows.scalar_type() == at::kFloat;
  return {.rows = rows, .factors = converts ? rows.to(product_type()) : rows};
}

}  // namespace

Network::Network(const model::Config& config, const model::ModelParts& parts, const model::Weights& weights,
                 const Placement& placement, std::span<const model::Parameter> more)
    : config_(config), parameters_(config, parts, weights, placement, more) {}

Network::Network(const model::Config& config, Parameters parameters)
    : config_(config), parameters_(std::move(parameters)) {}

at::Tensor Network::picked(const at::Tensor& table, const std::vector<int32_t>& rows) const {
  return at::embedding(table, index_tensor(std::span<const int32_t>(rows), parameters_.placement()));
}

at::Tensor Network::token_rows(const model::Batch& batch) const {
  std::vector<int32_t> token;
  for (size_t text = 0; text < batch.texts(); ++text) {
    const model::InputRows rows(config_, batch, text);
    token.insert(token.end(), rows.token().begin(), rows.token().end());
  }
  const at::Tensor& table = parameters_.at("embeddings.word_embeddings.weight");
  if (!has_own_passes(table)) return picked(table, token);
  return table_rows(table, index_tensor(std::span<const int32_t>(token), parameters_.placement()));
}

Network::Parts Network::parts_of(const model::Batch& batch, const at::Tensor& token_rows) const {
  std::vector<int32_t> position, segment;
  for (size_t text = 0; text < batch.texts(); ++text) {
    const model::InputRows rows(config_, batch, text);
    position.insert(position.end(), rows.position().begin(), rows.position().end());
    segment.insert(segment.end(), rows.segment().begin(), rows.segment().end());
  }
  const Placement& placement = parameters_.placement();
  const model::PartWidths widths = config_.part_widths();
  const auto zeros = [&](size_t width) { return tensor_of(Matrix<double>(batch.tokens(), width), placement); };
  Parts parts;
  parts.token = token_rows;
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

Pass Network::run(const model::Batch& batch, const Dropout* dropout, const std::vector<size_t>& needed) const {
  model::check(batch, config_);
  return run_parts(batch, parts_of(batch, token_rows(batch)), dropout, needed);
}

Pass Network::run_rows(const model::Batch& batch, const at::Tensor& token_rows, const Dropout* dropout) const {
  model::check(batch, config_);
  return run_parts(batch, parts_of(batch, token_rows), dropout, {});
}

Pass Network::run_parts(const model::Batch& batch, const Parts& parts, const Dropout* dropout,
                        const std::vector<size_t>& needed) const {
  Pass pass;
  const at::Tensor input_rows = composed(parts);
  const Attention attention(config_, parameters_, batch, dropout);
  pass.hidden_states.push_back(dropout == nullptr ? input_rows : dropout->hidden(input_rows, "embeddings"));
  const auto layers = static_cast<size_t>(config_.num_hidden_layers);
  if (layers > 0) pass.last_tokens = needed;
  NormalisedRows rows = for_products(pass.hidden_states.back());
  for (size_t index = 0; index < layers; ++index) {
    at::Tensor input = rows.rows;
    if (index > 0 && config_.per_layer_inputs.token) input = input + parts.token;
    if (index > 0 && config_.per_layer_inputs.position) input = input + parts.position;
    if (index > 0 && config_.per_layer_inputs.segment) input = input + parts.segment;
    if (!input.is_same(rows.rows)) rows = for_products(input);
    const bool picks = index + 1 == layers && !needed.empty();
    const at::Tensor picked = picks ? index_tensor(needed, parameters_.placement()) : at::Tensor();
    rows = layer({.index = index, .attention = attention, .dropout = dropout, .needed = picked}, rows);
    pass.hidden_states.push_back(rows.rows);
  }
  if (parameters_.find("pooler.dense.weight") != nullptr) {
    const std::vector<size_t> first(batch.offsets.begin(), batch.offsets.end() - 1);
    pass.pooled = at::tanh(linear(last_rows(pass, first), "pooler.dense"));
  }
  return pass;
}

NormalisedRows Network::layer(const Layer& layer, const NormalisedRows& input) const {
  const bool maps = config_.attention.query_key != model::QueryKeyMaps::none && config_.attention.value;
  at::Tensor rows = attended(layer, maps ? input.factors : input.rows);
  at::Tensor residual = input.rows;
  if (layer.needed.defined()) {
    rows = rows.index_select(0, layer.needed);
    residual = residual.index_select(0, layer.needed);
  }
  const NormalisedRows middle = joined(layer, rows, "attention.output", residual);
  const at::Tensor inner = activated_linear(middle.factors, layer.name("intermediate.dense"));
  return joined(layer, inner, "output", middle.rows);
}

NormalisedRows Network::joined(const Layer& layer, const at::Tensor& rows, const std::string& name,
                               const at::Tensor& residual) const {
  const std::string dense = name + ".dense";
  const std::string dense_name = layer.name(dense.c_str()), norm_name = layer.name((name + ".LayerNorm").c_str());
  const at::Tensor& weight = parameters_.at(dense_name + ".weight");
  if (!has_own_passes(weight)) {
    const at::Tensor all = norm(layer.dropped(linear(rows, dense_name), dense.c_str()) + residual, norm_name);
    return {all, all};
  }
  return dense_norm(rows,
                    {.weight = weight,
                     .bias = parameters_.at(dense_name + ".bias"),
                     .norm_weight = parameters_.at(norm_name + ".weight"),
                     .norm_bias = parameters_.at(norm_name + ".bias"),
                     .epsilon = config_.layer_norm_eps},
                    residual,
                    {.mask = layer.dropout == nullptr
                                 ? DropoutMask()
                                 : layer.dropout->hidden_mask(dense_name, static_cast<size_t>(residual.size(-1))),
                     .tokens = layer.needed});
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
  return layer.attention.context(layer.index, {query, key, value});
}

at::Tensor Network::last_rows(const Pass& pass, const std::vector<size_t>& tokens) const {
  std::vector<size_t> rows = tokens;
  if (!pass.last_tokens.empty()) {
    const auto begin = pass.last_tokens.begin(), end = pass.last_tokens.end();
    for (size_t& row : rows) row = static_cast<size_t>(std::lower_bound(begin, end, row) - begin);
  }
  return pass.hidden_states.back().index_select(0, index_tensor(rows, parameters_.placement()));
}

VocabularyProduct Network::vocabulary_product(const Pass& pass, const std::vector<size_t>& tokens) const {
  const at::Tensor transformed = norm(activated_linear(last_rows(pass, tokens), "cls.predictions.transform.dense"),
                                      "cls.predictions.transform.LayerNorm");
  if (const at::Tensor* own = parameters_.find("cls.predictions.decoder.weight")) {
    return {transformed, *own, parameters_.at("cls.predictions.decoder.bias")};
  }
  return {transformed, parameters_.at("embeddings.word_embeddings.weight"), parameters_.at("cls.predictions.bias")};
}

at::Tensor Network::logits(model::Head head, const Pass& pass, const std::vector<size_t>& tokens,
                           const Dropout* dropout) const {
  constexpr const char* kClassifier = "classifier";
  switch (head) {
    case model::Head::masked_language: {
      const VocabularyProduct product = vocabulary_product(pass, tokens);
      return linear(product.rows, product.table, product.bias);
    }
    case model::Head::next_sentence:
      return linear(pass.pooled, "cls.seq_relationship");
    case model::Head::sequence_classification:
      return linear(dropout == nullptr ? pass.pooled : dropout->text_classifier(pass.pooled, kClassifier), kClassifier);
    case model::Head::token_classification:
      return linear(dropout == nullptr ? pass.hidden_states.back()
                                       : dropout->token_classifier(pass.hidden_states.back(), kClassifier),
                    kClassifier);
    case model::Head::question_answering:
      return linear(pass.hidden_states.back(), "qa_outputs");
  }
  __builtin_unreachable();
}

at::Tensor Network::linear(const at::Tensor& input, const std::string& name) const {
  return linear(input, parameters_.at(name + ".weight"), parameters_.at(name + ".bias"));
}

at::Tensor Network::linear(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& bias) {
  return has_own_passes(weight) ? train::linear(input, weight, bias) : at::linear(input, weight, bias);
}

at::Tensor Network::activated_linear(const at::Tensor& input, const std::string& name) const {
  const at::Tensor& weight = parameters_.at(name + ".weight");
  if (!has_own_passes(weight) || !has_dense_activation(config_.hidden_act)) return activated(linear(input, name));
  return dense_activation(input, weight, parameters_.at(name + ".bias"), config_.hidden_act);
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
