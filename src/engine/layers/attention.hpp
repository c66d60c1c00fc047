#pragma once

#include <cstddef>
#include <functional>

#include "base/matrix_view.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/layers/aligned_buffer.hpp"
#include "model/taps.hpp"

namespace summand::engine {

class HeadTerms;

/// One thread's buffers for attention: a head's packed keys and values, and the scores of some query rows.
class AttentionScratch {
 public:
  /// Makes room for texts of up to `length` tokens and heads of `head_size`.
  void fit(size_t length, size_t head_size);

  float* key_panels() { return keys_.data(); }
  float* value_panels() { return values_.data(); }
  float* scores() { return scores_.data(); }

 private:
  AlignedFloats keys_;
  AlignedFloats values_;
  AlignedFloats scores_;
};

/// One head of one text: the rows of its key and value, [length, head size]; those of its query, which may be fewer;
/// and the destination of their context.
struct AttentionHead {
  MatrixView<const float> query;
  MatrixView<const float> key;
  MatrixView<const float> value;
  MatrixView<float> context;
  float scale = 1;                   ///< of products of queries and keys
  const HeadTerms* terms = nullptr;  ///< effects of encodings inside attention; null: none
  /// Watches or changes scores and softmax, [queries, length]; null: no taps.
  using Tap = std::function<void(model::TapPoint, MatrixView<float>)>;
  const Tap* tap = nullptr;
};

/// Keys as the product's matrix: panels of 16 tokens, [head size, 16] each, zero beyond the text.
void pack_keys(const SinglePrecisionKernels& kernels, MatrixView<const float> key, float* panels);
/// Values as the product's matrix: panels of 16 of the head's columns, [length, 16] each, zero beyond the head.
void pack_values(MatrixView<const float> value, float* panels);

/// Query rows of a text per pass, so that their scores stay in the nearest caches.
[[nodiscard]] size_t query_rows_at_a_time(size_t length);
/// Floats for the scores of this many rows, for texts of up to `length` tokens.
[[nodiscard]] size_t score_room(size_t length);

/// Layout of scores: [rows, length rounded up to whole panels].
[[nodiscard]] size_t score_stride(size_t length);

/// context = softmax(scale · query · keyᵀ + terms) · value, for some query rows at a time. The sums over the head and
/// over the tokens go in order, and the softmax in an order fixed by the text's own length. Where a tap watches, all
/// query rows are taken at once, and results are equal within rounding. Source: Vaswani et al. 2017, section 3.2.1
void attend(const SinglePrecisionKernels& kernels, const AttentionHead& head, AttentionScratch& scratch);

}  // namespace summand::engine
