#include "reference/bert.hpp"

#include <cmath>
#include <string>
#include <utility>

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

}  // namespace

template <class Scalar>
Bert<Scalar>::Bert(const model::Config& config, const model::Weights& weights) : config_(config), weights_(weights) {
  if (config.normalise_input) input_norm_.emplace(weights, "embeddings.LayerNorm", config.layer_norm_eps);
  composition_ = model::composition_parameters<Scalar>(weights);
  if (model::position_rows(config.position, weights) == nullptr) {
    positions_ = model::position_table(config.position, config.position_table_size(), weights);
  }
  for (size_t layer = 0; layer < static_cast<size_t>(config.num_hidden_layers); ++layer) {
    const auto linear = [&](std::string_view rest) {
      return Linear<Scalar>(weights, model::layer_parameter(layer, rest));
    };
    const auto norm = [&](std::string_view rest) {
      return Norm<Scalar>(weights, model::layer_parameter(layer, rest), config.layer_norm_eps);
    };
    layers_.push_back({.query = linear("attention.self.query"),
                       .key = linear("attention.self.key"),
                       .value = linear("attention.self.value"),
                       .attention_output = linear("attention.output.dense"),
                       .attention_norm = norm("attention.output.LayerNorm"),
                       .intermediate = linear("intermediate.dense"),
                       .output = linear("output.dense"),
                       .output_norm = norm("output.LayerNorm")});
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
Matrix<Scalar> Bert<Scalar>::position_rows(std::span<const int32_t> positions) const {
  if (const model::Tensor* table = model::position_rows(config_.position, weights_)) return rows_of(*table, positions);
  Matrix<Scalar> rows(positions.size(), config_.part_widths().position);
  for (size_t i = 0; positions_ && i < positions.size(); ++i) {
    const auto row = positions_->row(static_cast<size_t>(positions[i]));
    for (size_t j = 0; j < rows.columns(); ++j) rows(i, j) = Scalar(static_cast<Weight>(row[j]));
  }
  return rows;
}

template <class Scalar>
Matrix<Scalar> Bert<Scalar>::segment_rows(std::span<const int32_t> segments) const {
  switch (config_.segment) {
    case model::SegmentKind::learned:
      return rows_of(weights_.at("embeddings.token_type_embeddings.weight"), segments);
    case model::SegmentKind::none:
      return {segments.size(), config_.part_widths().segment};
  }
  __builtin_unreachable();
}

/// BertEmbeddings: the three rows composed, then normalised, unless the model says otherwise.
template <class Scalar>
Matrix<Scalar> Bert<Scalar>::embed(const model::Batch& batch, const Watch& watch) const {
  const size_t begin = batch.offsets[watch.text];
  const size_t length = batch.length(watch.text);
  const auto of_text = [&](const std::vector<int32_t>& values) { return std::span(values).subspan(begin, length); };
  auto tokens = rows_of(weights_.at("embeddings.word_embeddings.weight"), of_text(batch.ids));
  auto positions = position_rows(of_text(batch.positions));
  auto segments = segment_rows(of_text(batch.segments));
  watch(TapPoint::token_part, 0, tokens);
  watch(TapPoint::position_part, 0, positions);
  watch(TapPoint::segment_part, 0, segments);

  Matrix<Scalar> sum(length, static_cast<size_t>(config_.hidden_size));
  model::RowOps<Scalar> ops(composition_);
  for (size_t row = 0; row < length; ++row) {
    const model::InputParts<std::vector<Scalar>> parts{row_vector(tokens, row), row_vector(positions, row),
                                                       row_vector(segments, row)};
    const auto composed = model::compose(config_.composition, ops, parts);
    std::copy(composed.begin(), composed.end(), sum.row(row).begin());
  }
  watch(TapPoint::sum, 0, sum);
  if (input_norm_) (*input_norm_)(sum);
  watch(TapPoint::input, 0, sum);
  return sum;
}

/// BertSelfAttention: softmax(Q·Kᵀ/√d)·V, head by head; a head is a range of d columns.
template <class Scalar>
Matrix<Scalar> Bert<Scalar>::attend(const Layer& layer, size_t index, const Matrix<Scalar>& input,
                                    const Watch& watch) const {
  auto query = layer.query(input);
  auto key = layer.key(input);
  auto value = layer.value(input);
  watch(TapPoint::query, index, query);
  watch(TapPoint::key, index, key);
  watch(TapPoint::value, index, value);

  const size_t length = input.rows();
  const auto head_size = static_cast<size_t>(config_.head_size());
  const Scalar scale(Weight(1 / std::sqrt(static_cast<double>(head_size))));
  Matrix<Scalar> context(length, input.columns());
  for (size_t head = 0; head < static_cast<size_t>(config_.num_attention_heads); ++head) {
    const size_t first = head * head_size;
    Matrix<Scalar> attention(length, length);
    for (size_t i = 0; i < length; ++i) {
      for (size_t j = 0; j < length; ++j) {
        Scalar product(0);
        for (size_t k = first; k < first + head_size; ++k) product = product + query(i, k) * key(j, k);
        attention(i, j) = product * scale;
      }
    }
    watch(TapPoint::scores, index, attention, head);
    for (size_t i = 0; i < length; ++i) softmax(attention.row(i));
    watch(TapPoint::attention, index, attention, head);
    for (size_t i = 0; i < length; ++i) {
      for (size_t j = 0; j < length; ++j) {
        for (size_t k = first; k < first + head_size; ++k) {
          context(i, k) = context(i, k) + attention(i, j) * value(j, k);
        }
      }
    }
  }
  watch(TapPoint::context, index, context);
  return context;
}

/// BertLayer: attention, then the feed-forward block, each added to its input and normalised.
template <class Scalar>
Matrix<Scalar> Bert<Scalar>::run_layer(size_t index, const Matrix<Scalar>& input, const Watch& watch) const {
  const Layer& layer = layers_[index];
  auto attended = layer.attention_output(attend(layer, index, input, watch));
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
  output.hidden_states.push_back(embed(batch, watch));
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    output.hidden_states.push_back(run_layer(layer, output.hidden_states.back(), watch));
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
