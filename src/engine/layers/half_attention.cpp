#include "engine/layers/half_attention.hpp"

#include <algorithm>

#include "engine/kernels/rounding.hpp"
#include "engine/layers/attention.hpp"
#include "engine/layers/head_terms.hpp"

namespace summand::engine {

namespace {

/// Stride of the weights: that of the scores, or larger if a product needs more zeros after them.
size_t weight_stride(PanelLayout layout, size_t length) {
  return std::max(score_stride(length), layout.depth(length));
}

}  // namespace

void HalfAttentionScratch::fit(PanelLayout layout, size_t length, size_t head_size) {
  const size_t rows = score_room(length) / kPanelWidth;  // of the shortest texts; longer ones have fewer
  keys_.fit(whole_panels(length) * layout.depth(head_size));
  values_.fit(whole_panels(head_size) * layout.depth(length));
  scores_.fit(score_room(length));
  weights_.fit(score_room(length) + rows * layout.depth_multiple);
  factors_.fit(rows);
}

void attend(const HalfKernels& kernels, const HalfAttentionHead& head, HalfAttentionScratch& scratch) {
  const size_t length = head.key.rows();
  const size_t head_size = head.key.columns();
  const size_t stride = score_stride(length);
  const size_t depth = kernels.layout.depth(length);
  const size_t weights_apart = weight_stride(kernels.layout, length);
  const auto packing = [&](MatrixView<const Half> rows, Half* panels) {
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
                     .depth = kernels.layout.depth(head_size),
                     .panels = scratch.key_panels(),
                     .columns = length,
                     .out = {.floats = scratch.scores(), .stride = stride}});
    kernels.softmax({.scores = scratch.scores(),
                     .stride = stride,
                     .row_count = rows,
                     .length = length,
                     .scale = head.scale,
                     .biases = head.terms == nullptr ? nullptr : head.terms->biases(first),
                     .padded = depth,
                     .weights = scratch.weights(),
                     .weight_stride = weights_apart,
                     .factors = scratch.factors()});
    kernels.product({.rows = scratch.weights(),
                     .row_stride = weights_apart,
                     .row_count = rows,
                     .depth = depth,
                     .panels = scratch.value_panels(),
                     .row_factors = scratch.factors(),
                     .columns = head_size,
                     .out = from_row(head.context, first)});
  }
}

}  // namespace summand::engine
