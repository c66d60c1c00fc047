#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "summand/matrix.hpp"
#include "summand/taps.hpp"
#include "summand/text.hpp"
#include "summand/tokens.hpp"

namespace summand {

/// Options of Model::hidden.
struct HiddenOptions {
  LengthOptions length = {};                       ///< the default limit is the model's positions
  std::optional<std::vector<size_t>> layers = {};  ///< hidden states to return, 0 … layers; none: all
  Taps taps = {};                                  ///< watch or change the forward pass
};

/// Result of Model::hidden: the vectors of every token in the requested layers.
struct HiddenStates {
  std::vector<Encoding> texts;  ///< ids, segments and byte offsets of each text, after truncation
  std::vector<size_t> offsets;  ///< [texts + 1]: text t has the rows offsets[t] … offsets[t + 1] - 1 of each state
  /// Which hidden states these are, ascending: 0 is the normalised sum of the embeddings, l the output of layer l.
  std::vector<size_t> layers;
  std::vector<Matrix<float>> states;  ///< one [tokens, hidden] per element of `layers`
  Matrix<float> pooled;               ///< [texts, hidden]; empty if the model has no pooler
  ReadCount count;                    ///< texts, tokens, cut texts, …

  /// The rows of one text in one hidden state.
  /// @param text   below texts.size()
  /// @param index  into `layers`
  /// @return [tokens of the text, hidden], valid as long as this object
  [[nodiscard]] MatrixView<const float> of_text(size_t text, size_t index) const {
    return states[index].view().middle_rows(offsets[text], offsets[text + 1] - offsets[text]);
  }
};

}  // namespace summand
