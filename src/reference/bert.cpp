#include "reference/bert.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "model/input_rows.hpp"
#include "model/parameters.hpp"
#include "model/position.hpp"
#include "reference/functions.hpp"

namespace summand::reference {

namespace {

using model::TapPoint;

template <class Scalar>
void add_rows(Matrix<Scalar>& to, const Matrix<Scalar>& from) {
  for (size_t i = 0; i < to.elements().size(); ++i) to.elements()[i] = to.elements()[i] + from.elements()[i];
}

template <class Scalar>
std::vector<Scalar> row_vector(const Matrix<Scalar>& matrix, size_t row) {
  return {matrix.row(row).begin(), matrix.row(row).end()};
}

template <class Scalar>
Matrix<Scalar> columns_of(const Matrix<Scalar>& matrix, size_t begin, size_t count) {
  Matrix<Scalar> columns(matrix.rows(), count);
  for (size_t row = 0; row < columns.rows(); ++row) {
    std::ranges::copy(matrix.row(row).subspan(begin, count), columns.row(row).begin());
  }
  return columns;
}

}  // namespace

/// Reads the parameters by their names in the contract. Rows of the embedding tables are read where a text has them.
template <class Scalar>
Bert<Scalar>::Bert(const model::Config& config, const model::Weights& weights) : config_(config), weights_(weights) {
  if (config.normalise_input) input_norm_.emplace(weights, "embeddings.LayerNorm", config.layer_norm_eps);
  composition_ = model::composition_parameters<Scalar>(weights);
  // A position table that is stored as it is stays where it lies; any other is computed once.
  if (model::position_rows(config.position, weights) == nullptr) {
    computed_positions_ = model::position_table(config.position, config.position_table_size(), weights);
  }
  for (size_t layer = 0; layer < static_cast<size_t>(config.num_hidden_layers); ++layer) {
    const auto linear = [&](std::string_view rest) {
      return Linear<Scalar>(weights, model::layer_parameter(layer, rest));
    };
    const auto norm = [&](std::string_view rest) {
      return Norm<Scalar>(weights, model::layer_parameter(layer, rest), config.layer_norm_eps);
    };
    // A model may lack a map of queries, keys or values: the hidden state itself takes its place.
    const auto map = [&](const char* name) -> std::optional<Linear<Scalar>> {
      const std::string prefix = model::attention_prefix(layer) + name;
      if (!weights.contains(prefix + ".weight")) return std::nullopt;
      return Linear<Scalar>(weights, prefix);
    };
    const bool tied = config.attention.query_key == model::QueryKeyMaps::tied;
    layers_.push_back({.query = map("query"),
                       .key = map(tied ? "query" : "key"),
                       .value = map("value"),
                       .attention_output = linear("attention.output.dense"),
                       .attention_norm = norm("attention.output.LayerNorm"),
                       .intermediate = linear("intermediate.dense"),
                       .output = linear("output.dense"),
                       .output_norm = norm("output.LayerNorm")});
  }
  for (const auto& encoding : config.encodings_in_attention()) {
    AttentionEncodingWithParameters& read = encodings_.emplace_back();
    read.encoding = encoding;
    read.shared = model::shared_parameters_of<Scalar>(encoding, weights);
    for (size_t layer = 0; layer < layers_.size(); ++layer) {
      read.layers.push_back(model::layer_parameters_of<Scalar>(encoding, weights, layer));
    }
  }
  if (weights.contains("pooler.dense.weight")) pooler_.emplace(weights, "pooler.dense");
}

template <class Scalar>
void Bert<Scalar>::Watch::operator()(TapPoint point, size_t layer, Matrix<Scalar>& values, size_t head) const {
  if (taps != nullptr && taps->wants(point)) {
    taps->visit({.point = point, .text = text, .layer = layer, .head = head}, values.view());
  }
}

/// torch.nn.Embedding
template <class Scalar>
Matrix<Scalar> Bert<Scalar>::rows_of(const model::Tensor& tensor, std::span<const int32_t> indices) const {
  const size_t row_bytes = tensor.shape[1] * model::size_of(tensor.dtype);
  Matrix<Scalar> rows(indices.size(), tensor.shape[1]);
  for (size_t i = 0; i < indices.size(); ++i) {
    const auto bytes = tensor.bytes.subspan(static_cast<size_t>(indices[i]) * row_bytes, row_bytes);
    const auto values = model::to_floats({tensor.dtype, {tensor.shape[1]}, bytes, tensor.source});
    for (size_t j = 0; j < values.size(); ++j) rows(i, j) = Scalar(values[j]);
  }
  return rows;
}

template <class Scalar>
Matrix<Scalar> Bert<Scalar>::rows_of_positions(std::span<const int32_t> positions) const {
  if (const model::Tensor* table = model::position_rows(config_.position, weights_)) return rows_of(*table, positions);
  Matrix<Scalar> rows(positions.size(), config_.part_widths().position);
  if (!computed_positions_) return rows;  // no positions: zeros
  for (size_t i = 0; i < positions.size(); ++i) {
    const auto row = computed_positions_->row(static_cast<size_t>(positions[i]));
    for (size_t j = 0; j < rows.columns(); ++j) rows(i, j) = Scalar(static_cast<Real>(row[j]));
  }
  return rows;
}

template <class Scalar>
Matrix<Scalar> Bert<Scalar>::rows_of_segments(std::span<const int32_t> segments) const {
  switch (config_.segment) {
    case model::SegmentKind::learned:
      return rows_of(weights_.at("embeddings.token_type_embeddings.weight"), segments);
    case model::SegmentKind::none:
      return {segments.size(), config_.part_widths().segment};
  }
  __builtin_unreachable();
}

template <class Scalar>
typename Bert<Scalar>::Parts Bert<Scalar>::parts_of(const model::Batch& batch, size_t text) const {
  const model::InputRows rows(config_, batch, text);
  return {.token = rows_of(weights_.at("embeddings.word_embeddings.weight"), rows.token()),
          .position = rows_of_positions(rows.position()),
          .segment = rows_of_segments(rows.segment())};
}

/// BertEmbeddings: the three rows composed, then normalised, unless the model says otherwise.
template <class Scalar>
Matrix<Scalar> Bert<Scalar>::embed(Parts& parts, const Watch& watch) const {
  watch(TapPoint::token_part, 0, parts.token);
  watch(TapPoint::position_part, 0, parts.position);
  watch(TapPoint::segment_part, 0, parts.segment);

  Matrix<Scalar> sum(parts.token.rows(), static_cast<size_t>(config_.hidden_size));
  model::RowOps<Scalar> ops(composition_);
  for (size_t row = 0; row < sum.rows(); ++row) {
    const model::InputParts<std::vector<Scalar>> of_token{row_vector(parts.token, row), row_vector(parts.position, row),
                                                          row_vector(parts.segment, row)};
    const auto composed = model::compose(config_.composition, ops, of_token);
    std::copy(composed.begin(), composed.end(), sum.row(row).begin());
  }
  watch(TapPoint::sum, 0, sum);
  if (input_norm_) (*input_norm_)(sum);
  watch(TapPoint::input, 0, sum);
  return sum;
}

template <class Scalar>
void Bert<Scalar>::add_per_layer_inputs(const Parts& parts, Matrix<Scalar>& hidden) const {
  if (config_.per_layer_inputs.token) add_rows(hidden, parts.token);
  if (config_.per_layer_inputs.position) add_rows(hidden, parts.position);
  if (config_.per_layer_inputs.segment) add_rows(hidden, parts.segment);
}

template <class Scalar>
typename Bert<Scalar>::EncodingTokens Bert<Scalar>::tokens_of_encodings(const model::Batch& batch, size_t text) const {
  EncodingTokens tokens;
  for (const AttentionEncodingWithParameters& one : encodings_) {
    tokens.push_back(model::query_key_tokens(one.encoding, batch, text));
  }
  return tokens;
}

template <class Scalar>
typename Bert<Scalar>::Encodings Bert<Scalar>::applied_encodings(size_t layer, size_t head,
                                                                 const EncodingTokens& tokens) const {
  Encodings encodings;
  for (size_t i = 0; i < encodings_.size(); ++i) {
    const AttentionEncodingWithParameters& one = encodings_[i];
    const model::HeadOps<Scalar> ops({.shared = one.shared,
                                      .layer = one.layers[layer],
                                      .sizes = one.encoding.sizes,
                                      .epsilon = config_.layer_norm_eps},
                                     head);
    encodings.push_back({one.encoding, tokens[i], ops});
  }
  return encodings;
}

/// AttendOps of one head of one text: matrices are [length, head size], scores and weights [length, length].
template <class Scalar>
struct Bert<Scalar>::HeadAttention : model::MatrixOps<Scalar> {
  const Watch& watch;
  size_t layer, head;

  HeadAttention(const Watch& of_text, size_t of_layer, size_t of_head)
      : watch(of_text), layer(of_layer), head(of_head) {}

  [[nodiscard]] Matrix<Scalar> causally_masked(Matrix<Scalar> scores) const {
    for (size_t i = 0; i < scores.rows(); ++i) {
      std::ranges::fill(scores.row(i).subspan(i + 1), Scalar(-std::numeric_limits<Real>::infinity()));
    }
    return scores;
  }
  [[nodiscard]] Matrix<Scalar> weights(Matrix<Scalar> scores) const {
    watch(TapPoint::scores, layer, scores, head);
    for (size_t i = 0; i < scores.rows(); ++i) softmax(scores.row(i));
    watch(TapPoint::attention, layer, scores, head);
    return scores;
  }
};

/// BertSelfAttention: softmax(Q·Kᵀ/√d)·V by model::attend, head by head; a head is a range of d columns.
template <class Scalar>
Matrix<Scalar> Bert<Scalar>::attend(const Layer& layer, size_t index, const Matrix<Scalar>& input,
                                    const EncodingTokens& tokens, const Watch& watch) const {
  auto query = layer.query ? (*layer.query)(input) : input;
  auto key = layer.key ? (*layer.key)(input) : input;
  auto value = layer.value ? (*layer.value)(input) : input;
  watch(TapPoint::query, index, query);
  watch(TapPoint::key, index, key);
  watch(TapPoint::value, index, value);

  const auto head_size = static_cast<size_t>(config_.head_size());
  Matrix<Scalar> context(input.rows(), input.columns());
  for (size_t head = 0; head < static_cast<size_t>(config_.num_attention_heads); ++head) {
    const size_t first = head * head_size;
    HeadAttention ops(watch, index, head);
    Encodings encodings = applied_encodings(index, head, tokens);
    const auto of_head = model::attend(
        config_, ops, encodings,
        {columns_of(query, first, head_size), columns_of(key, first, head_size), columns_of(value, first, head_size)});
    for (size_t i = 0; i < of_head.rows(); ++i) {
      std::ranges::copy(of_head.row(i), context.row(i).subspan(first).begin());
    }
  }
  watch(TapPoint::context, index, context);
  return context;
}

/// BertLayer: attention, then the feed-forward block, each added to its input and normalised.
template <class Scalar>
Matrix<Scalar> Bert<Scalar>::run_layer(size_t index, const Matrix<Scalar>& input, const EncodingTokens& tokens,
                                       const Watch& watch) const {
  const Layer& layer = layers_[index];
  auto attended = layer.attention_output(attend(layer, index, input, tokens, watch));
  add_rows(attended, input);
  layer.attention_norm(attended);
  watch(TapPoint::attention_output, index, attended);

  auto intermediate = layer.intermediate(attended);
  for (Scalar& x : intermediate.elements()) x = activate(config_.hidden_act, x);
  watch(TapPoint::intermediate, index, intermediate);
  auto output = layer.output(intermediate);
  add_rows(output, attended);
  layer.output_norm(output);
  watch(TapPoint::layer_output, index, output);
  return output;
}

template <class Scalar>
Output<Scalar> Bert<Scalar>::run(const model::Batch& batch, size_t text, model::Taps<Scalar>* taps) const {
  model::check(batch, config_);
  const Watch watch{taps, text};
  Output<Scalar> output;
  Parts parts = parts_of(batch, text);
  const EncodingTokens tokens = tokens_of_encodings(batch, text);
  output.hidden_states.push_back(embed(parts, watch));
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    if (layer == 0 || !config_.per_layer_inputs.any()) {
      output.hidden_states.push_back(run_layer(layer, output.hidden_states.back(), tokens, watch));
      continue;
    }
    Matrix<Scalar> input = output.hidden_states.back();
    add_per_layer_inputs(parts, input);
    output.hidden_states.push_back(run_layer(layer, input, tokens, watch));
  }
  // BertPooler: a dense layer and tanh on the first token's last hidden state.
  if (pooler_ && batch.length(text) > 0) {
    Matrix<Scalar> first(1, static_cast<size_t>(config_.hidden_size));
    std::copy_n(output.hidden_states.back().row(0).begin(), first.columns(), first.row(0).begin());
    const auto pooled = (*pooler_)(first);
    for (const Scalar& x : pooled.elements()) output.pooled.push_back(activate(model::Activation::tanh, x));
  }
  return output;
}

template class Bert<float>;
template class Bert<double>;
template class Bert<Dual<double>>;
template class Bert<Dual<Dual<double>>>;
template class Bert<MixedDual>;

}  // namespace summand::reference
