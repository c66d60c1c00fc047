#include "engine/layers/attention.hpp"

#include <algorithm>

#include "engine/kernels/rounding.hpp"
#include "engine/layers/head_terms.hpp"

namespace summand::engine {

namespace {

/// Floats of scores in the making, so that they stay in the nearest caches.
constexpr size_t kScores = 16384;
constexpr size_t kFewestRows = 8;

}  // namespace

size_t query_rows_at_a_time(size_t length) {
  return std::min(length, std::max(kFewestRows, kScores / score_stride(length)));
}

size_t score_room(size_t length) {
  // A shorter text may take more rows at a time: at most kScores floats, or the fewest rows of the longest text.
  return std::max(kScores, kFewestRows * score_stride(length));
}

size_t score_stride(size_t length) {
  return whole_panels(length);
}

void AttentionScratch::fit(size_t length, size_t head_size) {
  keys_.fit(whole_panels(length) * head_size);
  values_.fit(whole_panels(head_size) * length);
  scores_.fit(score_room(length));
}

void pack_keys(const SinglePrecisionKernels& kernels, MatrixView<const float> key, float* panels) {
  kernels.pack_keys(
      {.rows = key.data(), .stride = key.stride(), .length = key.rows(), .head_size = key.columns(), .panels = panels});
}

void pack_values(MatrixView<const float> value, float* panels) {
  for (size_t first = 0; first < value.columns(); first += kPanelWidth) {
    float* const panel = panels + first * value.rows();
    const size_t width = std::min(kPanelWidth, value.columns() - first);
    for (size_t token = 0; token < value.rows(); ++token) {
      float* const to = panel + token * kPanelWidth;
      std::copy_n(value.data() + token * value.stride() + first, width, to);
      std::fill(to + width, to + kPanelWidth, 0.0F);
    }
  }
}

void attend(const SinglePrecisionKernels& kernels, const AttentionHead& head, AttentionScratch& scratch) {
  const size_t length = head.key.rows();
  const size_t head_size = head.key.columns();
  const size_t stride = score_stride(length);
  pack_keys(kernels, head.key, scratch.key_panels());
  pack_values(head.value, scratch.value_panels());
  const size_t queries = head.query.rows();
  const bool watched = head.tap != nullptr;
  const size_t step = watched ? queries : query_rows_at_a_time(length);
  AlignedFloats all_scores;
  if (watched) all_scores.fit(queries * stride);
  float* const room = watched ? all_scores.data() : scratch.scores();
  for (size_t first = 0; first < queries; first += step) {
    const size_t rows = std::min(step, queries - first);
    kernels.product({.rows = head.query.data() + first * head.query.stride(),
                     .row_stride = head.query.stride(),
                     .row_count = rows,
                     .depth = head_size,
                     .panels = scratch.key_panels(),
                     .columns = length,
                     .out = room,
                     .out_stride = stride});
    const MatrixView<float> scores(room, rows, length, stride);
    SoftmaxTask softmax{.values = room,
                        .stride = stride,
                        .row_count = rows,
                        .length = length,
                        .scale = head.scale,
                        .biases = head.terms == nullptr ? nullptr : head.terms->biases(first)};
    if (watched) {
      for (size_t row = 0; row < rows; ++row) {
        const float* const biases = softmax.biases == nullptr ? nullptr : softmax.biases[row];
        generic::add_biases(scores.row(row).data(), biases, length, softmax.scale);
      }
      (*head.tap)(model::TapPoint::scores, scores);
      softmax.scale = 1;
      softmax.biases = nullptr;
    }
    kernels.softmax(softmax);
    if (head.terms != nullptr) head.terms->hide(first, scores);
    if (watched) (*head.tap)(model::TapPoint::attention, scores);
    kernels.product({.rows = room,
                     .row_stride = stride,
                     .row_count = rows,
                     .depth = length,
                     .panels = scratch.value_panels(),
                     .columns = head_size,
                     .out = head.context.data() + first * head.context.stride(),
                     .out_stride = head.context.stride()});
    if (head.terms != nullptr) head.terms->add_to_context(first, scores, head.context.middle_rows(first, rows));
  }
}

}  // namespace summand::engine
