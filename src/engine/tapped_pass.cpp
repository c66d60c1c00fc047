#include "engine/tapped_pass.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "engine/attention.hpp"

namespace summand::engine {

namespace {

using model::TapPoint;

/// One text on its way through the model.
class TappedText {
 public:
  TappedText(const Network& network, const model::Batch& batch, const RunRequest& request, size_t text, size_t length)
      : network_(network),
        batch_(batch),
        taps_(*request.taps),
        request_(request),
        text_(text),
        hidden_(length, network.hidden),
        query_key_value_(length, 3 * network.hidden),
        context_(length, network.hidden),
        projected_(length, network.hidden),
        intermediate_(length, network.intermediate),
        scores_(length, score_stride(length)) {
    scratch_.fit(length, network.head_size);
  }

  void embed() {
    const auto part = [&](Embeddings::PartName name, TapPoint point, size_t width) {
      Matrix<float> rows(hidden_.rows(), width);
      network_.embeddings.part(name, batch_, text_, rows.view());
      visit(point, rows.view());
      return rows;
    };
    const model::PartWidths& widths = network_.embeddings.widths();
    parts_ = {.token = part(Embeddings::PartName::token, TapPoint::token_part, widths.token),
              .position = part(Embeddings::PartName::position, TapPoint::position_part, widths.position),
              .segment = part(Embeddings::PartName::segment, TapPoint::segment_part, widths.segment)};
    network_.embeddings.compose(
        *network_.kernels,
        {.token = parts_.token.view(), .position = parts_.position.view(), .segment = parts_.segment.view()},
        hidden_.view());
    visit(TapPoint::sum, hidden_.view());
    network_.embeddings.normalise(*network_.kernels, hidden_.view());
    visit(TapPoint::input, hidden_.view());
    keep(0);
  }

  void layer(size_t index) {
    const EncoderLayer& layer = network_.layers[index];
    if (index > 0) add_again();
    attend(layer, index);
    layer.attention_output.multiply(network_.arithmetic, context_.view(), projected_.view());
    add_and_normalise(network_, layer.attention_norm, projected_.view(), hidden_.view());
    visit(TapPoint::attention_output, hidden_.view(), index);
    layer.intermediate.multiply(network_.arithmetic, hidden_.view(), intermediate_.view());
    activate(network_, network_.config.hidden_act, intermediate_.view());
    visit(TapPoint::intermediate, intermediate_.view(), index);
    layer.output.multiply(network_.arithmetic, intermediate_.view(), projected_.view());
    add_and_normalise(network_, layer.output_norm, projected_.view(), hidden_.view());
    visit(TapPoint::layer_output, hidden_.view(), index);
    keep(index + 1);
  }

  void deliver() {
    if (!request_.on_text) return;
    std::vector<MatrixView<const float>> views;
    for (const size_t state : request_.hidden_states) views.emplace_back(kept_[state].view());
    TextResult result{.hidden_states = views, .pooled = {}, .logits = {}};
    if (pooled_.rows() > 0 && request_.pooled == Pooled::compute) result.pooled = pooled_.elements();
    if (request_.head) result.logits = logits_.view();
    request_.on_text(text_, result);
  }

  void pool() {
    pooled_ = Matrix<float>(1, network_.hidden);
    network_.pooler->multiply(*network_.kernels, hidden_.view().middle_rows(0, 1), pooled_.view());
    activate(network_, model::Activation::tanh, pooled_.view());
  }

  /// @param masked  tokens of the text
  /// @return rows of logits
  size_t head(model::Head head, std::span<const size_t> masked) {
    const Matrix<float> transformed =
        head == model::Head::masked_language ? transformed_rows(masked) : Matrix<float>(0, network_.hidden);
    MatrixView<const float> input = transformed.view();
    if (head == model::Head::token_classification) input = hidden_.view();
    if (model::reads_pooled_output(head)) input = pooled_.view();
    logits_ = Matrix<float>(input.rows(), network_.output_heads.columns(head));
    network_.output_heads.output(head).multiply(*network_.kernels, input, logits_.view());
    return input.rows();
  }

 private:
  Matrix<float> transformed_rows(std::span<const size_t> masked) const {
    const MaskedLanguageHead& parameters = network_.output_heads.masked_language();
    Matrix<float> picked(masked.size(), network_.hidden);
    for (size_t i = 0; i < masked.size(); ++i) std::ranges::copy(hidden_.row(masked[i]), picked.row(i).begin());
    Matrix<float> transformed(masked.size(), network_.hidden);
    parameters.transform.multiply(*network_.kernels, picked.view(), transformed.view());
    activate(network_, network_.config.hidden_act, transformed.view());
    normalise(network_, parameters.norm, transformed.view());
    return transformed;
  }

  void attend(const EncoderLayer& layer, size_t index) {
    layer.query_key_value.multiply(network_.arithmetic, hidden_.view(), query_key_value_.view());
    const auto part = [&](size_t number) {
      return query_key_value_.view().middle_columns(number * network_.hidden, network_.hidden);
    };
    visit(TapPoint::query, part(0), index);
    visit(TapPoint::key, part(1), index);
    visit(TapPoint::value, part(2), index);
    for (size_t row = 0; network_.encodings.turn_rows() && row < hidden_.rows(); ++row) {
      network_.encodings.turn_row(batch_, batch_.offsets[text_] + row, AttentionEncodings::Columns::queries_keys_values,
                                  {.floats = query_key_value_.row(row).data(), .stride = query_key_value_.columns()});
    }
    for (size_t head = 0; head < network_.heads; ++head) attend_head(index, head);
    visit(TapPoint::context, context_.view(), index);
  }

  void attend_head(size_t layer, size_t head) {
    const AttentionHead parts = head_of(network_, query_key_value_.view(), context_.view(), head);
    const size_t length = hidden_.rows();
    const MatrixView<float> scores = scores_.view().middle_columns(0, length);
    AskedTokens asked{.text = text_, .places = std::vector<size_t>(length)};
    std::iota(asked.places.begin(), asked.places.end(), 0);
    const HeadTerms terms(network_.encodings, batch_, asked, layer, head, parts.query, parts.key);
    const auto own_query = terms.queries(parts.query);
    const auto own_key = terms.keys(parts.key);
    const MatrixView<const float> query = own_or(own_query, parts.query);
    pack_keys(*network_.kernels, own_or(own_key, parts.key), scratch_.key_panels());
    network_.kernels->product({.rows = query.data(),
                               .row_stride = query.stride(),
                               .row_count = length,
                               .depth = network_.head_size,
                               .panels = scratch_.key_panels(),
                               .columns = length,
                               .out = scores.data(),
                               .out_stride = scores.stride()});
    terms.add(0, scores);
    visit(TapPoint::scores, scores, layer, head);
    network_.kernels->softmax(
        {.values = scores.data(), .stride = scores.stride(), .row_count = length, .length = length});
    terms.hide(0, scores);
    visit(TapPoint::attention, scores, layer, head);
    const auto own_value = terms.values(parts.value);
    pack_values(own_or(own_value, parts.value), scratch_.value_panels());
    network_.kernels->product({.rows = scores.data(),
                               .row_stride = scores.stride(),
                               .row_count = length,
                               .depth = length,
                               .panels = scratch_.value_panels(),
                               .columns = network_.head_size,
                               .out = parts.context.data(),
                               .out_stride = parts.context.stride()});
    terms.add_to_context(0, scores, parts.context);
  }

  void add_again() {
    const auto add = [&](bool wanted, const Matrix<float>& rows) {
      if (!wanted) return;
      std::ranges::transform(hidden_.elements(), rows.elements(), hidden_.elements().begin(), std::plus<>());
    };
    add(network_.config.again.token, parts_.token);
    add(network_.config.again.position, parts_.position);
    add(network_.config.again.segment, parts_.segment);
  }

  void visit(TapPoint point, MatrixView<float> values, size_t layer = 0, size_t head = 0) {
    if (taps_.wants(point)) taps_.visit({.point = point, .text = text_, .layer = layer, .head = head}, values);
  }

  void keep(size_t state) {
    kept_.resize(state + 1);
    if (std::ranges::count(request_.hidden_states, state) > 0) kept_[state] = hidden_;
  }

  const Network& network_;
  const model::Batch& batch_;
  model::Taps<float>& taps_;
  const RunRequest& request_;
  size_t text_;
  model::InputParts<Matrix<float>> parts_;
  Matrix<float> hidden_;
  Matrix<float> query_key_value_;
  Matrix<float> context_;
  Matrix<float> projected_;
  Matrix<float> intermediate_;
  Matrix<float> scores_;
  AttentionScratch scratch_;
  Matrix<float> pooled_;
  Matrix<float> logits_;
  std::vector<Matrix<float>> kept_;  // by hidden state; empty where it is not wanted
};

}  // namespace

PassCount run_tapped(const Network& network, const model::Batch& batch, const RunRequest& request) {
  PassCount count;
  const bool pools = needs_pooled_output(request, network);
  for (size_t text = 0; text < batch.texts(); ++text) {
    const size_t length = batch.length(text);
    if (length == 0) continue;
    TappedText way(network, batch, request, text, length);
    way.embed();
    for (size_t layer = 0; layer < network.layers.size(); ++layer) way.layer(layer);
    if (pools) way.pool();
    if (request.head) {
      std::vector<size_t> masked;
      for (const size_t token : request.masked) {
        if (token >= batch.offsets[text] && token < batch.offsets[text + 1]) {
          masked.push_back(token - batch.offsets[text]);
        }
      }
      count.head_rows += way.head(*request.head, masked);
    }
    way.deliver();
    count.rows += length;
    count.last_rows += length;
    count.panels += 1;
  }
  return count;
}

}  // namespace summand::engine
