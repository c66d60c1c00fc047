#include "engine/bf16_attention.hpp"

#include <algorithm>

#include "engine/attention.hpp"
#include "engine/head_terms.hpp"
#include "engine/rounding.hpp"

namespace summand::engine {

void Bf16AttentionScratch::fit(size_t length, size_t head_size) {
  keys_.fit(whole_panels(length) * rounded_up(head_size, kBf16PerStep));
  values_.fit(whole_panels(head_size) * rounded_up(length, kBf16PerStep));
  scores_.fit(score_room(length));
  weights_.fit(score_room(length));
  factors_.fit(score_room(length) / kPanelWidth);
}

void attend(const Bf16Kernels& kernels, const Bf16AttentionHead& head, Bf16AttentionScratch& scratch) {
  const size_t length = head.key.rows();
  const size_t head_size = head.key.columns();
  const size_t stride = score_stride(length);
  const auto packing = [&](MatrixView<const Bf16> rows, Bf16* panels) {
    return PackTask{rows.data(), rows.stride(), length, head_size, panels};
  };
  kernels.pack_keys(packing(head.key, scratch.key_panels()));
  kernels.pack_values(packing(head.value, scratch.value_panels()));
  const size_t queries = head.query.rows();
  const size_t step = query_rows_at_a_time(length);
  for (size_t first = 0; first < queries; first += step) {
    const size_t rows = std::min(step, queries - first);
    kernels.product({.rows = head.query.data() + first * head.query.stride(),
                     .row_stride = head.query.stride(),
                     .row_count = rows,
                     .depth = rounded_up(head_size, kBf16PerStep),
                     .panels = scratch.key_panels(),
                     .columns = length,
                     .out = {.floats = scratch.scores(), .stride = stride}});
    kernels.weigh({.scores = scratch.scores(),
                   .stride = stride,
                   .row_count = rows,
                   .length = length,
                   .scale = head.scale,
                   .biases = head.terms == nullptr ? nullptr : head.terms->biases(first),
                   .weights = scratch.weights(),
                   .weight_stride = stride,
                   .factors = scratch.factors()});
    kernels.product({.rows = scratch.weights(),
                     .row_stride = stride,
                     .row_count = rows,
                     .depth = rounded_up(length, kBf16PerStep),
                     .panels = scratch.value_panels(),
                     .row_factors = scratch.factors(),
                     .columns = head_size,
                     .out = from_row(head.context, first)});
  }
}

}  // namespace summand::engine
