#pragma once

#include <cstddef>

#include "base/matrix_view.hpp"
#include "engine/kernels/arithmetic.hpp"
#include "engine/kernels/number_formats.hpp"
#include "engine/layers/aligned_buffer.hpp"

namespace summand::engine {

class HeadTerms;

/// One thread's buffers for attention in 16 bits: a head's packed keys and values; for some query rows the scores, the
/// softmax weights and the divisors.
class HalfAttentionScratch {
 public:
  /// Makes room for texts of up to `length` tokens and heads of `head_size`.
  void fit(PanelLayout layout, size_t length, size_t head_size);

  Half* key_panels() { return keys_.data(); }
  Half* value_panels() { return values_.data(); }
  float* scores() { return scores_.data(); }
  Half* weights() { return weights_.data(); }
  float* factors() { return factors_.data(); }

 private:
  AlignedBuffer<Half> keys_;
  AlignedBuffer<Half> values_;
  AlignedFloats scores_;
  AlignedBuffer<Half> weights_;
  AlignedFloats factors_;
};

/// One head of one text: the rows of its key and value, [length, head size]; those of its query, which may be fewer;
/// and the destination of their context.
struct HalfAttentionHead {
  MatrixView<const Half> query;
  MatrixView<const Half> key;
  MatrixView<const Half> value;
  Destination context;
  float scale = 1;                   ///< as in AttentionHead
  const HeadTerms* terms = nullptr;  ///< of those that need no floats
};

/// context = softmax(scale · query · keyᵀ + terms) · value, for some query rows at a time: scores and sums in floats,
/// the weights rounded before they are divided by their sum, which is done to the context instead. The sums over the
/// head and over the tokens go in order, and the softmax in an order fixed by the text's own length. Source: Vaswani et
/// al. 2017, section 3.2.1; the late division as in Dao et al. 2022, section 3.1
void attend(const HalfKernels& kernels, const HalfAttentionHead& head, HalfAttentionScratch& scratch);

}  // namespace summand::engine
