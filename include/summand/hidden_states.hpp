#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "summand/matrix.hpp"
#include "summand/taps.hpp"
#include "summand/text.hpp"
#include "summand/tokens.hpp"

namespace summand {

/// Which hidden states are wanted.
struct HiddenOptions {
  LengthOptions length = {};                       ///< the limit is the positions of the model
  std::optional<std::vector<size_t>> layers = {};  ///< hidden states to keep, 0 … layers; all where not given
  Taps taps = {};                                  ///< what watches or changes the forward pass
};

/// The vectors of every token in the layers that were asked for.
struct HiddenStates {
  std::vector<Encoding> texts;  ///< ids, segments and byte offsets of each text, cut as it was run
  std::vector<size_t> offsets;  ///< [texts + 1]: text t has the rows offsets[t] … offsets[t + 1] - 1 of each state
  std::vector<size_t> layers;   ///< which hidden states these are, ascending; 0 is the normalised sum of the
                                ///< embeddings, l the output of layer l
  std::vector<Matrix<float>> states;  ///< one [tokens, hidden] per element of `layers`
  Matrix<float> pooled;               ///< [texts, hidden]; empty where the model has no pooler
  ReadCount count;                    ///< what became of the texts

  /// The rows of one text in one of the states.
  /// @param text   below texts.size()
  /// @param index  a place in `layers`
  /// @return [tokens of the text, hidden], valid as long as this object
  [[nodiscard]] MatrixView<const float> of_text(size_t text, size_t index) const {
    return states[index].view().middle_rows(offsets[text], offsets[text + 1] - offsets[text]);
  }
};

}  // namespace summand
