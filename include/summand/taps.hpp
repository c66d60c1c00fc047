#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "summand/matrix.hpp"
#include "summand/range.hpp"

namespace summand {

/// A named place in the forward pass, in the order in which a text passes them: scores and attention come head by head.
/// `length` is the number of tokens, special ones counted.
/// Source: Devlin et al. 2019, section 3 and figure 2, for the input; Vaswani et al. 2017, sections 3.1 to 3.3, for the
/// layers
enum class TapPoint {
  token_part,        ///< [length, hidden], the token rows: figure 2's token embeddings
  position_part,     ///< [length, hidden], the position rows; zeros where the model has no positions in its input
  segment_part,      ///< [length, hidden], the segment rows
  sum,               ///< [length, hidden], the three composed, before normalisation: in BERT their sum
  input,             ///< [length, hidden], after normalisation: hidden state 0
  query,             ///< [length, hidden], Q of all heads side by side: section 3.2.2
  key,               ///< [length, hidden], K of all heads side by side
  value,             ///< [length, hidden], V of all heads side by side
  scores,            ///< [length, length] of one head, QK^T / sqrt(head size), before the softmax: section 3.2.1
  attention,         ///< [length, length] of one head, after the softmax: row i is where token i looks
  context,           ///< [length, hidden], attention times V, all heads side by side
  attention_output,  ///< [length, hidden], after the attention block's residual and normalisation
  intermediate,      ///< [length, intermediate], inside the feed-forward block, after the activation: section 3.3
  layer_output,      ///< [length, hidden], after the feed-forward block's residual and normalisation
};

/// Watches or changes the forward pass of one call, as it runs. Where it is left empty it costs nothing.
///
/// A call with taps runs on the caller's thread alone: the texts one after the other in the order given, each from its
/// first point to its last. A text without tokens has no visit. What `visit` throws ends the call and comes out of it.
/// `visit` may call the model; it may be copied.
///
/// Each head's scores and attention are then made in full, by plain kernels: results with taps that change nothing
/// differ from those without by rounding, about 2e-5 in a hidden state. With the same taps, a text's results have the
/// same bits alone, beside other texts, and whatever the threads of the model.
///
/// Thread-safety: where several threads give calls the same object, they call `visit` at the same time.
///
/// A call that takes taps throws UsageError if there are points without a function or a function without points, or
/// if the model does not compute in fp32 (ModelInfo::precision).
struct Taps {
  /// Which visit this is.
  struct Site {
    TapPoint point = TapPoint::sum;  ///< the place
    size_t layer = 0;   ///< 1 … ModelInfo::layers, as hidden states are counted: `layer_output` of layer l is hidden
                        ///< state l. 0 from `token_part` to `input`
    size_t head = 0;    ///< of `scores` and `attention`, from 0; elsewhere 0
    size_t text = 0;    ///< its place in the call, from 0
    size_t window = 0;  ///< of a text that WindowOptions divide, which window, from 0; elsewhere 0
    Range tokens = {};  ///< its places among the tokens of the whole call: of Model::hidden, its rows in every state
  };

  /// Reads what passes, or replaces it: what it leaves in `values` is what the model goes on with, unchecked. Rows may
  /// lie further apart than they are wide (MatrixView::stride). The view is valid during the call only.
  using Visit = std::function<void(const Site& site, MatrixView<float> values)>;

  std::vector<TapPoint> points = {};  ///< where `visit` is called, in any order
  Visit visit = {};                   ///< called at each of them, for every text, layer and head that it has

  /// Whether nothing is to be watched.
  [[nodiscard]] bool empty() const { return points.empty() && !visit; }
};

}  // namespace summand
