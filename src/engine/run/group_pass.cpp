#include "engine/run/group_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "engine/kernels/rounding.hpp"
#include "engine/layers/attention.hpp"

namespace summand::engine {

namespace {

/// Rows of one normalisation task: enough to be worth taking.
constexpr size_t kNormaliseRows = 16;

/// Fewer rows of its own would not be worth a thread's reading all weights.
constexpr size_t kFewestOwnRows = 32;

MatrixView<float> rows_in(AlignedFloats& buffer, size_t columns, size_t begin, size_t count) {
  return {buffer.data() + begin * columns, count, columns};
}

/// rows += those parts of the input that every layer adds.
void add_parts(const model::InputParts<Matrix<float>>& parts, const model::PerLayerInputs& which,
               MatrixView<float> rows) {
  const auto add = [&](bool wanted, const Matrix<float>& part) {
    for (size_t row = 0; wanted && row < rows.rows(); ++row) {
      std::ranges::transform(rows.row(row), part.row(row), rows.row(row).begin(), std::plus<>());
    }
  };
  add(which.token, parts.token);
  add(which.position, parts.position);
  add(which.segment, parts.segment);
}

}  // namespace

bool needs_pooled_output(const RunRequest& request, const Network& network) {
  const bool head_reads_it = request.head && model::reads_pooled_output(*request.head);
  return head_reads_it || (request.pooled == Pooled::compute && network.pooler);
}

PassCount& PassCount::operator+=(const PassCount& other) {
  rows += other.rows;
  panels += other.panels;
  last_rows += other.last_rows;
  head_rows += other.head_rows;
  return *this;
}

PassCount GroupPass::run(Worker& worker) {
  embed(worker);
  for (size_t index = 0; index < pass_.layers; ++index) layer(worker, index);
  check_range(worker);
  if (pass_.picking.picking != Picking::none) pick(worker);
  if (pools()) pool(worker);
  if (pass_.request->head) head(worker);
  deliver(worker);
  return count_;
}

/// Where 16 bits have less range than floats, what leaves it becomes infinite, no number at the next normalisation, and
/// stays that to the end.
void GroupPass::check_range(Worker& worker) {
  const HalfKernels* const half = network_.arithmetic.half;
  if (half == nullptr || half->largest >= kLargestBf16 || pass_.layers == 0) return;
  const bool narrow = pass_.last_layer == LastLayer::picked_rows;
  worker.step(1, [&](size_t) {
    const auto rows = buffers_.hidden.floats(0, narrow ? picked_.rows.size() : group_.tokens);
    for (size_t row = 0; row < rows.rows(); ++row) {
      if (!std::isnan(rows(row, 0))) continue;
      throw UsageError("precision",
                       fmt::format("fp16: expected numbers of at most {} in magnitude inside the model, got "
                                   "larger ones for a text; bf16 and fp32 have the range",
                                   half->largest));
    }
  });
}

void GroupPass::layer(Worker& worker, size_t index) {
  const EncoderLayer& layer = network_.layers[index];
  size_t rows = group_.tokens;
  if (index > 0 && network_.config.per_layer_inputs.any()) add_per_layer_inputs(worker, index);
  if (index + 1 == pass_.layers && pass_.last_layer == LastLayer::picked_rows) {
    attention_of_picked_rows(worker, index);
    rows = picked_.rows.size();
  } else {
    attention(worker, index);
  }
  if (pass_.row_sharers > 1 && rows >= pass_.row_sharers * kFewestOwnRows) {
    const size_t rounds = divided_up(rows, pass_.row_sharers * pass_.panel_rows);
    const size_t own = divided_up(rows, pass_.row_sharers * rounds);
    worker.step(divided_up(rows, own), [&](size_t task) {
      const size_t begin = task * own;
      Worker alone;
      feed_forward(alone, layer, {{begin, std::min(own, rows - begin)}, 0}, index + 1);
    });
    return;
  }
  for (size_t begin = 0; begin < rows; begin += pass_.stage_rows) {
    feed_forward(worker, layer, {{begin, std::min(pass_.stage_rows, rows - begin)}, begin}, index + 1);
  }
}

bool GroupPass::is_tapped(model::TapPoint point) const {
  return pass_.request->taps != nullptr && pass_.request->taps->wants(point);
}

void GroupPass::tap(model::TapPoint point, MatrixView<float> values, size_t layer, size_t head) const {
  if (!is_tapped(point)) return;
  const size_t text = pass_.schedule->texts[group_.begin];
  pass_.request->taps->visit({.point = point, .text = text, .layer = layer, .head = head}, values);
}

void GroupPass::embed(Worker& worker) {
  if (pass_.request->taps != nullptr) return embed_tapped();
  worker.step(texts(), [&](size_t place) {
    const size_t text = pass_.schedule->texts[group_.begin + place];
    const Rows rows = rows_of(place);
    network_.embeddings.embed(*network_.kernels, *pass_.batch, text, buffers_.hidden.floats(rows.begin, rows.count));
    convert_for_layer(0, rows);
    keep(0, rows);
    if (pass_.layers > 0) return;
    count_.rows += rows.count;
    count_.last_rows += rows.count;
  });
}

void GroupPass::embed_tapped() {
  const Rows rows{0, group_.tokens};
  const MatrixView<float> hidden = buffers_.hidden.floats(rows.begin, rows.count);
  tapped_parts_ = network_.embeddings.parts(*pass_.batch, pass_.schedule->texts[group_.begin]);
  tap(model::TapPoint::token_part, tapped_parts_.token.view());
  tap(model::TapPoint::position_part, tapped_parts_.position.view());
  tap(model::TapPoint::segment_part, tapped_parts_.segment.view());
  network_.embeddings.compose(*network_.kernels, tapped_parts_, hidden);
  tap(model::TapPoint::sum, hidden);
  network_.embeddings.normalise(*network_.kernels, hidden);
  tap(model::TapPoint::input, hidden);
  keep(0, rows);
}

void GroupPass::add_per_layer_inputs(Worker& worker, size_t index) {
  worker.step(texts(), [&](size_t place) {
    const size_t text = pass_.schedule->texts[group_.begin + place];
    const Rows rows = rows_of(place);
    const MatrixView<float> hidden = buffers_.hidden.floats(rows.begin, rows.count);
    const bool tapped = pass_.request->taps != nullptr;
    add_parts(tapped ? tapped_parts_ : network_.embeddings.parts(*pass_.batch, text), network_.config.per_layer_inputs,
              hidden);
    convert_for_layer(index, rows);
  });
}

void GroupPass::attention(Worker& worker, size_t index) {
  const EncoderLayer& layer = network_.layers[index];
  const Rows all{0, group_.tokens};
  for_each_block(worker, {all, layer.query_key_value.out()}, [&](Rows rows, ColumnBlock block) {
    layer.query_key_value.multiply(network_.arithmetic, buffers_.hidden.rows(rows.begin, rows.count),
                                   from_column(buffers_.query_key_value.destination(rows.begin), block.begin), block);
    if (block.begin > 0) return;
    count_.rows += rows.count;
    count_.panels += 1;
  });
  tap_maps(index);
  rotate_rows(worker);
  worker.step(texts() * network_.heads, [&](size_t task) {
    const size_t place = task / network_.heads;
    attend_head(buffers_.query_key_value,
                {.place = place, .query_rows = rows_of(place), .layer = index, .head = task % network_.heads});
  });
  if (is_tapped(model::TapPoint::context)) tap(model::TapPoint::context, buffers_.context.floats(0, all.count), index);
}

void GroupPass::tap_maps(size_t layer) const {
  size_t first = 0;
  for (const auto point : {model::TapPoint::query, model::TapPoint::key, model::TapPoint::value}) {
    if (is_tapped(point)) {
      tap(point, buffers_.query_key_value.floats(0, group_.tokens).middle_columns(first, network_.hidden), layer);
    }
    first += network_.hidden;
  }
}

void GroupPass::rotate_rows(Worker& worker) {
  if (network_.encodings.rotations() == nullptr) return;
  worker.step(texts(), [&](size_t place) {
    const Rows rows = rows_of(place);
    std::vector<size_t> tokens(rows.count);
    std::iota(tokens.begin(), tokens.end(), pass_.batch->offsets[pass_.schedule->texts[group_.begin + place]]);
    network_.encodings.rotations()->rotate(network_.arithmetic.half, *pass_.batch, tokens,
                                           Rotations::Columns::queries_keys_values,
                                           buffers_.query_key_value.destination(rows.begin));
  });
}

void GroupPass::rotate_picked_queries(Worker& worker) {
  if (network_.encodings.rotations() == nullptr) return;
  worker.step(texts(), [&](size_t place) {
    const Rows picked{picked_.first[place], picked_.count(place)};
    const size_t first_token = pass_.batch->offsets[pass_.schedule->texts[group_.begin + place]];
    std::vector<size_t> tokens;
    for (size_t i = picked.begin; i < picked.begin + picked.count; ++i) {
      tokens.push_back(first_token + picked_.rows[i] - rows_of(place).begin);
    }
    network_.encodings.rotations()->rotate(network_.arithmetic.half, *pass_.batch, tokens, Rotations::Columns::queries,
                                           buffers_.queries.destination(picked.begin));
  });
}

/// Keys and values of all rows, queries of the picked ones alone. Their hidden states move to the front, where the
/// feed-forward block finds them.
void GroupPass::attention_of_picked_rows(Worker& worker, size_t index) {
  const size_t hidden = network_.hidden;
  const Linear& linear = network_.layers[index].query_key_value;
  const Rows picked{0, picked_.rows.size()};
  const auto keys_and_values = blocks_of(hidden, 3 * hidden);
  for_each_block(worker, {{0, group_.tokens}, linear.out(), keys_and_values}, [&](Rows rows, ColumnBlock block) {
    linear.multiply(network_.arithmetic, buffers_.hidden.rows(rows.begin, rows.count),
                    from_column(buffers_.query_key_value.destination(rows.begin), block.begin), block);
    if (block.begin > linear.block(keys_and_values.first).begin) return;
    count_.rows += rows.count;
    count_.panels += 1;
  });
  worker.step(1, [&](size_t) {
    gather_picked(buffers_.hidden.floats(0, group_.tokens));
    convert_for_layer(index, picked);
  });
  for_each_block(worker, {picked, linear.out(), blocks_of(0, hidden)}, [&](Rows rows, ColumnBlock block) {
    linear.multiply(network_.arithmetic, buffers_.hidden.rows(rows.begin, rows.count),
                    from_column(buffers_.queries.destination(rows.begin), block.begin), block);
  });
  rotate_rows(worker);
  rotate_picked_queries(worker);
  worker.step(texts() * network_.heads, [&](size_t task) {
    const size_t place = task / network_.heads;
    const Rows queries{picked_.first[place], picked_.count(place)};
    if (queries.count == 0) return;
    attend_head(buffers_.queries,
                {.place = place, .query_rows = queries, .layer = index, .head = task % network_.heads});
  });
}

QueryTokens GroupPass::query_tokens_of(const ProductInput& queries, const HeadTask& task) const {
  const Rows tokens = rows_of(task.place);
  QueryTokens asked{.text = pass_.schedule->texts[group_.begin + task.place], .indices = {}};
  for (size_t i = task.query_rows.begin; i < task.query_rows.begin + task.query_rows.count; ++i) {
    asked.indices.push_back((&queries == &buffers_.queries ? picked_.rows[i] : i) - tokens.begin);
  }
  return asked;
}

void GroupPass::attend_head(const ProductInput& queries, const HeadTask& task) {
  const size_t width = network_.head_size;
  const size_t first = task.head * width;
  const size_t hidden = network_.hidden;
  const Rows tokens = rows_of(task.place);
  const Rows asked = task.query_rows;
  const Destination context = from_column(buffers_.context.destination(asked.begin), first);
  const QueryTokens query_tokens = network_.encodings.any() ? query_tokens_of(queries, task) : QueryTokens();
  const auto terms = [&](MatrixView<const float> query, MatrixView<const float> key) -> std::optional<HeadTerms> {
    if (!network_.encodings.any()) return std::nullopt;
    return HeadTerms(network_.encodings, *pass_.batch, query_tokens, task.layer, task.head, query, key);
  };
  if (is_half(network_.arithmetic.attention)) {
    const auto rows = buffers_.query_key_value.rounded(tokens.begin, tokens.count);
    const auto of_head = terms({}, {});
    attend(*network_.arithmetic.half,
           {.query = queries.rounded(asked.begin, asked.count).middle_columns(first, width),
            .key = rows.middle_columns(hidden + first, width),
            .value = rows.middle_columns(2 * hidden + first, width),
            .context = context,
            .scale = network_.score_scale,
            .terms = of_head ? &*of_head : nullptr},
           own_.half_attention);
    return;
  }
  const auto rows = buffers_.query_key_value.floats(tokens.begin, tokens.count);
  const auto query = queries.floats(asked.begin, asked.count).middle_columns(first, width);
  const auto key = rows.middle_columns(hidden + first, width);
  const auto value = rows.middle_columns(2 * hidden + first, width);
  const auto of_head = terms(query, key);
  const auto own_query = of_head ? of_head->queries(query) : std::nullopt;
  const auto own_key = of_head ? of_head->keys(key) : std::nullopt;
  const auto own_value = of_head ? of_head->values(value) : std::nullopt;
  // Where products take 16 bits and attention floats, the context is rounded once it is there.
  Matrix<float> unrounded(context.floats == nullptr ? asked.count : 0, width);
  const MatrixView<float> out = context.floats == nullptr
                                    ? unrounded.view()
                                    : MatrixView<float>(context.floats, asked.count, width, context.stride);
  const AttentionHead::Tap tap_scores = [&](model::TapPoint point, MatrixView<float> scores) {
    tap(point, scores, task.layer, task.head);
  };
  const bool tapped = is_tapped(model::TapPoint::scores) || is_tapped(model::TapPoint::attention);
  attend(*network_.kernels,
         {.query = own_or(own_query, query),
          .key = own_or(own_key, key),
          .value = own_or(own_value, value),
          .context = out,
          .scale = network_.score_scale,
          .terms = of_head ? &*of_head : nullptr,
          .tap = tapped ? &tap_scores : nullptr},
         own_.attention);
  if (context.rounded == nullptr) return;
  network_.arithmetic.half->round({.values = unrounded.elements().data(),
                                   .stride = width,
                                   .row_count = asked.count,
                                   .columns = width,
                                   .out = context.rounded,
                                   .out_stride = context.stride});
}

/// Copies the picked rows of the hidden state to the front of `to`, which may be the hidden state itself: a picked row
/// never lies before its new place.
void GroupPass::gather_picked(MatrixView<float> to) {
  const MatrixView<float> from = buffers_.hidden.floats(0, group_.tokens);
  for (size_t i = 0; i < picked_.rows.size(); ++i) {
    if (from.row(picked_.rows[i]).data() == to.row(i).data()) continue;
    std::ranges::copy(from.row(picked_.rows[i]), to.row(i).begin());
  }
}

void GroupPass::quantise(Worker& worker, ProductInput& input, Rows rows, const Linear& reader) {
  if (network_.arithmetic.precision != Precision::int8) return;
  for_each_rows(worker, rows,
                [&](Rows some) { input.convert(network_.arithmetic, some.begin, some.count, reader.input_factors()); });
}

void GroupPass::convert_for_layer(size_t index, Rows rows) {
  if (index >= pass_.layers) return;
  const float* const factors = network_.layers[index].query_key_value.input_factors();
  buffers_.hidden.convert(network_.arithmetic, rows.begin, rows.count, factors);
}

void GroupPass::feed_forward(Worker& worker, const EncoderLayer& layer, const Stage& of, size_t state) {
  const Rows stage = of.rows;
  const Arithmetic& arithmetic = network_.arithmetic;
  const auto hidden = [&](Rows rows) { return buffers_.hidden.floats(rows.begin, rows.count); };
  const auto projected = [&](Rows rows) {
    return rows_in(buffers_.projected, network_.hidden, rows.begin - of.first_in_buffers, rows.count);
  };
  const auto projection = [&](Rows rows) {
    return Destination{.floats = projected(rows).data(), .stride = network_.hidden};
  };

  quantise(worker, buffers_.context, stage, layer.attention_output);
  for_each_block(worker, {stage, layer.attention_output.out()}, [&](Rows rows, ColumnBlock block) {
    layer.attention_output.multiply(arithmetic, buffers_.context.rows(rows.begin, rows.count),
                                    from_column(projection(rows), block.begin), block);
  });
  for_each_rows(worker, stage, [&](Rows rows) {
    add_and_normalise(network_, layer.attention_norm, projected(rows), hidden(rows));
    buffers_.hidden.convert(arithmetic, rows.begin, rows.count, layer.intermediate.input_factors());
  });
  tap(model::TapPoint::attention_output, hidden(stage), state - 1);
  for_each_block(worker, {stage, layer.intermediate.out()}, [&](Rows rows, ColumnBlock block) {
    activated(layer, rows, rows.begin - of.first_in_buffers, block);
  });
  if (is_tapped(model::TapPoint::intermediate)) {
    tap(model::TapPoint::intermediate, buffers_.intermediate.floats(0, stage.count), state - 1);
  }
  quantise(worker, buffers_.intermediate, {stage.begin - of.first_in_buffers, stage.count}, layer.output);
  for_each_block(worker, {stage, layer.output.out()}, [&](Rows rows, ColumnBlock block) {
    layer.output.multiply(arithmetic, buffers_.intermediate.rows(rows.begin - of.first_in_buffers, rows.count),
                          from_column(projection(rows), block.begin), block);
    if (state == pass_.layers && block.begin == 0) count_.last_rows += rows.count;
  });
  for_each_rows(worker, stage, [&](Rows rows) {
    add_and_normalise(network_, layer.output_norm, projected(rows), hidden(rows));
    convert_for_layer(state, rows);
    keep(state, rows);
  });
  if (!is_tapped(model::TapPoint::layer_output)) return;
  tap(model::TapPoint::layer_output, hidden(stage), state - 1);
  keep(state, stage);
}

void GroupPass::activated(const EncoderLayer& layer, Rows rows, size_t stage_row, ColumnBlock block) {
  const Arithmetic& arithmetic = network_.arithmetic;
  const auto input = buffers_.hidden.rows(rows.begin, rows.count);
  const auto activation = network_.config.hidden_act;
  const Destination out = from_column(buffers_.intermediate.destination(stage_row), block.begin);
  if (out.floats != nullptr) {
    layer.intermediate.multiply(arithmetic, input, out, block);
    auto* const kernel =
        arithmetic.precision == Precision::int8 ? arithmetic.int8->activate : arithmetic.kernels->activate;
    kernel(activation, {out.floats, out.stride, rows.count, block.count});
    return;
  }
  // Rounded once, after the activation.
  layer.intermediate.multiply(arithmetic, input, {.floats = own_.block.data(), .stride = kBlockColumns}, block);
  arithmetic.half->activate(activation, {.values = own_.block.data(),
                                         .stride = kBlockColumns,
                                         .row_count = rows.count,
                                         .columns = block.count,
                                         .out = out.rounded,
                                         .out_stride = out.stride});
}

void GroupPass::pick(Worker& worker) {
  worker.step(1, [&](size_t) {
    if (pass_.last_layer == LastLayer::all_rows) {
      gather_picked(rows_in(buffers_.picked, network_.hidden, 0, picked_.rows.size()));
    } else {
      std::copy_n(buffers_.hidden.floats(0, 1).data(), picked_.rows.size() * network_.hidden, buffers_.picked.data());
    }
  });
}

void GroupPass::pool(Worker& worker) {
  const PackedLinear& pooler = *network_.pooler;
  const size_t hidden = network_.hidden;
  for_each_block(worker, {{0, texts()}, pooler.out()}, [&](Rows rows, ColumnBlock block) {
    const auto pooled = rows_in(buffers_.pooled, hidden, rows.begin, rows.count);
    pooler.multiply(*network_.kernels, rows_in(buffers_.picked, hidden, rows.begin, rows.count), pooled, block);
    activate(network_, model::Activation::tanh, pooled.middle_columns(block.begin, block.count));
  });
}

void GroupPass::transform_masked(Worker& worker) {
  const MaskedLanguageHead& parameters = network_.output_heads.masked_language();
  const Rows picked{0, picked_.rows.size()};
  const auto transformed = [&](Rows rows) {
    return rows_in(buffers_.transformed, network_.hidden, rows.begin, rows.count);
  };
  for_each_block(worker, {picked, parameters.transform.out()}, [&](Rows rows, ColumnBlock block) {
    parameters.transform.multiply(*network_.kernels, rows_in(buffers_.picked, network_.hidden, rows.begin, rows.count),
                                  transformed(rows), block);
    activate(network_, network_.config.hidden_act, transformed(rows).middle_columns(block.begin, block.count));
  });
  for_each_rows(worker, picked, [&](Rows rows) { normalise(network_, parameters.norm, transformed(rows)); });
}

void GroupPass::head(Worker& worker) {
  if (*pass_.request->head == model::Head::masked_language) transform_masked(worker);
  const PackedLinear& output = network_.output_heads.output(*pass_.request->head);
  const MatrixView<float> input = head_input();
  for_each_block(worker, {{0, input.rows()}, output.out()}, [&](Rows rows, ColumnBlock block) {
    output.multiply(*network_.kernels, input.middle_rows(rows.begin, rows.count),
                    rows_in(buffers_.logits, output.out(), rows.begin, rows.count), block);
    if (block.begin == 0) count_.head_rows += rows.count;
  });
}

MatrixView<float> GroupPass::head_input() const {
  switch (*pass_.request->head) {
    case model::Head::masked_language:
      return rows_in(buffers_.transformed, network_.hidden, 0, picked_.rows.size());
    case model::Head::next_sentence:
    case model::Head::sequence_classification:
      return rows_in(buffers_.pooled, network_.hidden, 0, texts());
    case model::Head::token_classification:
    case model::Head::question_answering:
      return buffers_.hidden.floats(0, group_.tokens);
  }
  __builtin_unreachable();
}

GroupPass::Rows GroupPass::head_rows(size_t place) const {
  switch (*pass_.request->head) {
    case model::Head::masked_language:
      return {picked_.first[place], picked_.count(place)};
    case model::Head::next_sentence:
    case model::Head::sequence_classification:
      return {place, 1};
    case model::Head::token_classification:
    case model::Head::question_answering:
      return rows_of(place);
  }
  __builtin_unreachable();
}

void GroupPass::deliver(Worker& worker) {
  if (!pass_.request->on_text) return;
  worker.step(texts(), [&](size_t place) {
    const Rows rows = rows_of(place);
    own_.views.clear();
    for (const size_t state : pass_.request->hidden_states) {
      const auto kept = std::ranges::find(pass_.kept, state);
      own_.views.push_back(kept == pass_.kept.end() ? buffers_.hidden.floats(rows.begin, rows.count)
                                                    : kept_rows(static_cast<size_t>(kept - pass_.kept.begin()), rows));
    }
    TextResult result{.hidden_states = own_.views, .pooled = {}, .first = {}, .logits = {}};
    if (pools() && pass_.request->pooled == Pooled::compute) {
      result.pooled = rows_in(buffers_.pooled, network_.hidden, place, 1).row(0);
      result.first = rows_in(buffers_.picked, network_.hidden, place, 1).row(0);
    }
    if (const auto& head = pass_.request->head) {
      const Rows of_head = head_rows(place);
      result.logits = rows_in(buffers_.logits, network_.output_heads.columns(*head), of_head.begin, of_head.count);
    }
    const KernelPause rest(*network_.arithmetic.set);
    pass_.request->on_text(pass_.schedule->texts[group_.begin + place], result);
  });
}

void GroupPass::keep(size_t state, Rows rows) {
  const auto kept = std::ranges::find(pass_.kept, state);
  if (kept == pass_.kept.end()) return;
  const MatrixView<float> from = buffers_.hidden.floats(rows.begin, rows.count);
  std::copy_n(from.data(), rows.count * network_.hidden,
              kept_rows(static_cast<size_t>(kept - pass_.kept.begin()), rows).data());
}

template <class Task>
void GroupPass::for_each_block(Worker& worker, const Product& product, const Task& task) {
  const size_t panels = divided_up(product.rows.count, pass_.panel_rows);
  const size_t blocks = product.blocks.last - product.blocks.first;
  worker.step(panels * blocks, [&](size_t index) {
    const size_t begin = index % panels * pass_.panel_rows;
    task(Rows{product.rows.begin + begin, std::min(pass_.panel_rows, product.rows.count - begin)},
         column_block(product.blocks.first + index / panels, product.columns));
  });
}

template <class Task>
void GroupPass::for_each_rows(Worker& worker, Rows rows, const Task& task) {
  worker.step(divided_up(rows.count, kNormaliseRows), [&](size_t index) {
    const size_t begin = index * kNormaliseRows;
    task(Rows{rows.begin + begin, std::min(kNormaliseRows, rows.count - begin)});
  });
}

bool GroupPass::pools() const {
  return pass_.picking.picking == Picking::first_tokens;
}

GroupPass::Rows GroupPass::rows_of(size_t place) const {
  const size_t index = group_.begin + place;
  return {pass_.schedule->first_row[index], pass_.batch->length(pass_.schedule->texts[index])};
}

MatrixView<float> GroupPass::kept_rows(size_t slot, Rows rows) const {
  return rows_in(buffers_.kept_states, network_.hidden, slot * group_.tokens + rows.begin, rows.count);
}

}  // namespace summand::engine
