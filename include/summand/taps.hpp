#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "summand/matrix.hpp"
#include "summand/range.hpp"

namespace summand {

/// A named point of the forward pass, in the order of computation; scores and attention come head by head. `length` is
/// the number of tokens, special tokens included.
/// Source: Devlin et al. 2019, section 3 and figure 2, for the input; Vaswani et al. 2017, sections 3.1 to 3.3, for the
/// layers
enum class TapPoint {
  token_part,        ///< [length, hidden], the token rows: figure 2's token embeddings
  position_part,     ///< [length, hidden], the position rows; zeros where the model has no positions in its input
  segment_part,      ///< [length, hidden], the segment rows
  sum,               ///< [length, hidden], the three combined, before normalisation: in BERT their sum
  input,             ///< [length, hidden], after normalisation: hidden state 0
  query,             ///< [length, hidden], Q of all heads, concatenated: section 3.2.2
  key,               ///< [length, hidden], K of all heads, concatenated
  value,             ///< [length, hidden], V of all heads, concatenated
  scores,            ///< [length, length] of one head, QK^T / sqrt(head size), before the softmax: section 3.2.1
  attention,         ///< [length, length] of one head, after the softmax: row i holds the weights of token i
  context,           ///< [length, hidden], attention times V, all heads concatenated
  attention_output,  ///< [length, hidden], after the attention block's residual and normalisation
  intermediate,      ///< [length, intermediate], inside the feed-forward block, after the activation: section 3.3
  layer_output,      ///< [length, hidden], after the feed-forward block's residual and normalisation
};

/// Watches or changes the forward pass of one call while it runs. Empty taps cost nothing.
///
/// A call with taps runs on the caller's thread alone: text after text in the given order, each from its first point to
/// its last. A text without tokens gets no visit. An exception from `visit` ends the call and propagates. `visit` may
/// call the model, and may be copied.
///
/// If `scores` or `attention` is tapped, each head's scores are stored in full and scaled separately. Even if `visit`
/// changes nothing, results then differ by rounding, about 2e-5 in a hidden state. With the same taps, a text's results
/// have the same bits whatever other texts are in the call and however many threads the model has.
///
/// Thread-safety: calls on several threads with the same object call `visit` concurrently.
///
/// A call throws UsageError if there are points without a function or a function without points, or if the model does
/// not compute in fp32 (ModelInfo::precision).
struct Taps {
  /// Which visit this is.
  struct Site {
    TapPoint point = TapPoint::sum;  ///< the point of the forward pass
    /// 1 … ModelInfo::layers, counted as hidden states are: `layer_output` of layer l is hidden state l. 0 for the
    /// points from `token_part` to `input`.
    size_t layer = 0;
    size_t head = 0;    ///< for `scores` and `attention`, from 0; elsewhere 0
    size_t text = 0;    ///< index of the text in the call, from 0
    size_t window = 0;  ///< index of the window of a text divided by WindowOptions, from 0; elsewhere 0
    Range tokens = {};  ///< among all tokens of the call; for Model::hidden, the rows in every state
  };

  /// Reads the values, or replaces them: the model continues with whatever is left in `values`, unchecked. Rows may
  /// have a gap between them (MatrixView::stride). The view is valid during the call only.
  using Visit = std::function<void(const Site& site, MatrixView<float> values)>;

  std::vector<TapPoint> points = {};  ///< where to call `visit`, in any order
  Visit visit = {};                   ///< called at each point, for every text, layer and head

  /// Whether there is nothing to watch.
  [[nodiscard]] bool empty() const { return points.empty() && !visit; }
};

}  // namespace summand
