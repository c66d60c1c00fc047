#include "engine/group_pass.hpp"

#include <algorithm>
#include <span>

#include "engine/attention.hpp"
#include "engine/rounding.hpp"

namespace summand::engine {

namespace {

/// Rows of one normalisation task: enough to be worth taking.
constexpr size_t kNormaliseRows = 16;

/// Of one stage: attention output, normalisation, intermediate, output, normalisation.
constexpr size_t kStepsPerStage = 5;

MatrixView<float> rows_in(AlignedFloats& buffer, size_t columns, size_t begin, size_t count) {
  return {buffer.data() + begin * columns, count, columns};
}

}  // namespace

size_t GroupPass::steps(const Pass& pass, const Group& group) {
  const size_t stages = divided_up(group.tokens, pass.stage_rows);
  const size_t embed_pool_and_deliver = 4;
  return embed_pool_and_deliver + pass.layers * (2 + kStepsPerStage * stages);
}

PassCount GroupPass::run(Member& member) {
  embed(member);
  for (size_t index = 0; index < pass_.layers; ++index) {
    const EncoderLayer& layer = network_.layers[index];
    attention(member, layer);
    for (size_t begin = 0; begin < group_.tokens; begin += pass_.stage_rows) {
      const Rows stage{begin, std::min(pass_.stage_rows, group_.tokens - begin)};
      feed_forward(member, layer, stage, index + 1);
    }
  }
  if (pools()) pool(member);
  deliver(member);
  return count_;
}

void GroupPass::embed(Member& member) {
  member.step(texts(), [&](size_t place) {
    const size_t text = pass_.schedule->texts[group_.begin + place];
    const Rows rows = rows_of(place);
    network_.embeddings.embed(*network_.kernels, *pass_.batch, {pass_.batch->offsets[text], rows.count},
                              rows_in(buffers_.hidden, network_.hidden, rows.begin, rows.count));
    keep(0, rows);
    if (pass_.layers == 0) count_.rows += rows.count;
  });
}

void GroupPass::attention(Member& member, const EncoderLayer& layer) {
  const Rows all{0, group_.tokens};
  const size_t hidden = network_.hidden;
  for_each_block(member, layer.query_key_value, all, [&](Rows rows, ColumnBlock block) {
    layer.query_key_value.multiply(*network_.kernels, rows_in(buffers_.hidden, hidden, rows.begin, rows.count),
                                   rows_in(buffers_.query_key_value, 3 * hidden, rows.begin, rows.count), block);
    if (block.begin > 0) return;
    count_.rows += rows.count;
    count_.panels += 1;
  });
  member.step(texts() * network_.heads, [&](size_t index) {
    const Rows rows = rows_of(index / network_.heads);
    attend(*network_.kernels,
           head_of(network_, rows_in(buffers_.query_key_value, 3 * hidden, rows.begin, rows.count),
                   rows_in(buffers_.context, hidden, rows.begin, rows.count), index % network_.heads),
           own_.attention);
  });
}

void GroupPass::feed_forward(Member& member, const EncoderLayer& layer, Rows stage, size_t state) {
  const KernelTable& kernels = *network_.kernels;
  // Buffers of the stage count their rows from its first.
  const auto stage_rows = [&](AlignedFloats& buffer, size_t columns, Rows rows) {
    return rows_in(buffer, columns, rows.begin - stage.begin, rows.count);
  };
  const auto group_rows = [&](AlignedFloats& buffer, Rows rows) {
    return rows_in(buffer, network_.hidden, rows.begin, rows.count);
  };
  const auto projected = [&](Rows rows) { return stage_rows(buffers_.projected, network_.hidden, rows); };
  const auto intermediate = [&](Rows rows) { return stage_rows(buffers_.intermediate, network_.intermediate, rows); };

  for_each_block(member, layer.attention_output, stage, [&](Rows rows, ColumnBlock block) {
    layer.attention_output.multiply(kernels, group_rows(buffers_.context, rows), projected(rows), block);
  });
  for_each_rows(member, stage, [&](Rows rows) {
    add_and_normalise(network_, layer.attention_norm, projected(rows), group_rows(buffers_.hidden, rows));
  });
  for_each_block(member, layer.intermediate, stage, [&](Rows rows, ColumnBlock block) {
    layer.intermediate.multiply(kernels, group_rows(buffers_.hidden, rows), intermediate(rows), block);
    activate(network_, network_.config.hidden_act, intermediate(rows).middle_columns(block.begin, block.count));
  });
  for_each_block(member, layer.output, stage, [&](Rows rows, ColumnBlock block) {
    layer.output.multiply(kernels, intermediate(rows), projected(rows), block);
  });
  for_each_rows(member, stage, [&](Rows rows) {
    add_and_normalise(network_, layer.output_norm, projected(rows), group_rows(buffers_.hidden, rows));
    keep(state, rows);
  });
}

void GroupPass::pool(Member& member) {
  const PackedLinear& pooler = *network_.pooler;
  const size_t hidden = network_.hidden;
  member.step(texts(), [&](size_t place) {
    std::ranges::copy(rows_in(buffers_.hidden, hidden, rows_of(place).begin, 1).row(0),
                      rows_in(buffers_.first_rows, hidden, place, 1).row(0).begin());
  });
  for_each_block(member, pooler, {0, texts()}, [&](Rows rows, ColumnBlock block) {
    const auto pooled = rows_in(buffers_.pooled, hidden, rows.begin, rows.count);
    pooler.multiply(*network_.kernels, rows_in(buffers_.first_rows, hidden, rows.begin, rows.count), pooled, block);
    activate(network_, model::Activation::tanh, pooled.middle_columns(block.begin, block.count));
  });
}

void GroupPass::deliver(Member& member) {
  if (!pass_.request->on_text) return;
  member.step(texts(), [&](size_t place) {
    const Rows rows = rows_of(place);
    own_.views.clear();
    for (const size_t state : pass_.request->hidden_states) {
      const auto kept = std::ranges::find(pass_.kept, state);
      own_.views.push_back(kept == pass_.kept.end() ? rows_in(buffers_.hidden, network_.hidden, rows.begin, rows.count)
                                                    : kept_rows(static_cast<size_t>(kept - pass_.kept.begin()), rows));
    }
    std::span<const float> pooled;
    if (pools()) pooled = rows_in(buffers_.pooled, network_.hidden, place, 1).row(0);
    pass_.request->on_text(pass_.schedule->texts[group_.begin + place], own_.views, pooled);
  });
}

void GroupPass::keep(size_t state, Rows rows) {
  const auto kept = std::ranges::find(pass_.kept, state);
  if (kept == pass_.kept.end()) return;
  const MatrixView<float> from = rows_in(buffers_.hidden, network_.hidden, rows.begin, rows.count);
  std::copy_n(from.data(), rows.count * network_.hidden,
              kept_rows(static_cast<size_t>(kept - pass_.kept.begin()), rows).data());
}

template <class Task>
void GroupPass::for_each_block(Member& member, const PackedLinear& linear, Rows rows, const Task& task) {
  const size_t panels = divided_up(rows.count, pass_.panel_rows);
  member.step(panels * linear.blocks(), [&](size_t index) {
    const size_t begin = index % panels * pass_.panel_rows;
    task(Rows{rows.begin + begin, std::min(pass_.panel_rows, rows.count - begin)}, linear.block(index / panels));
  });
}

template <class Task>
void GroupPass::for_each_rows(Member& member, Rows rows, const Task& task) {
  member.step(divided_up(rows.count, kNormaliseRows), [&](size_t index) {
    const size_t begin = index * kNormaliseRows;
    task(Rows{rows.begin + begin, std::min(kNormaliseRows, rows.count - begin)});
  });
}

bool GroupPass::pools() const {
  return pass_.request->pooled == Pooled::compute && network_.pooler.has_value();
}

GroupPass::Rows GroupPass::rows_of(size_t place) const {
  const size_t index = group_.begin + place;
  return {pass_.schedule->first_row[index], pass_.batch->length(pass_.schedule->texts[index])};
}

MatrixView<float> GroupPass::kept_rows(size_t slot, Rows rows) const {
  return rows_in(buffers_.kept_states, network_.hidden, slot * group_.tokens + rows.begin, rows.count);
}

}  // namespace summand::engine
