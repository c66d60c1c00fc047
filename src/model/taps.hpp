#pragma once

#include <cstddef>

#include "base/matrix_view.hpp"

namespace summand::model {

/// A named place in the forward pass.
enum class TapPoint {
  token_part,        ///< [length, hidden], the token rows
  position_part,     ///< [length, hidden], the position rows
  segment_part,      ///< [length, hidden], the segment rows
  sum,               ///< [length, hidden], composed, before normalisation
  input,             ///< [length, hidden], after normalisation: hidden state 0
  query,             ///< [length, hidden], all heads side by side
  key,               ///< [length, hidden]
  value,             ///< [length, hidden]
  scores,            ///< [length, length] of one head, scaled, before the softmax
  attention,         ///< [length, length] of one head, after the softmax
  context,           ///< [length, hidden], attention times value
  attention_output,  ///< [length, hidden], after the attention block's residual and normalisation
  intermediate,      ///< [length, intermediate], after the activation
  layer_output,      ///< [length, hidden], hidden state layer + 1
};

/// Which visit this is. `layer` is 0 for the embedding points, `head` is 0 where a point has none.
struct TapSite {
  TapPoint point = TapPoint::sum;
  size_t text = 0;
  size_t layer = 0;
  size_t head = 0;
};

/// Watches the forward pass, or replaces what passes. The same interface serves the reference at every scalar and the
/// engine, which calls taps on one thread, text by text.
template <class Scalar>
class Taps {
 public:
  Taps() = default;
  Taps(const Taps&) = delete;
  Taps& operator=(const Taps&) = delete;
  virtual ~Taps() = default;

  /// Whether visit() is to be called for a point. Where nobody wants scores and attention the fast kernels run.
  [[nodiscard]] virtual bool wants(TapPoint point) const = 0;
  /// May read and change the values; what it leaves is what the model goes on with.
  virtual void visit(const TapSite& site, MatrixView<Scalar> values) = 0;
};

}  // namespace summand::model
