#pragma once

#include <cstddef>
#include <span>

#include "base/matrix.hpp"
#include "engine/engine.hpp"
#include "model/config.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// A model's transformer over windows (model/window_bert.hpp), always in fp32: it is small beside what makes the
/// windows' vectors. It runs on the calling thread, text by text, so a text has the same bits in any call.
///
/// Thread-safety: as Engine.
class WindowEncoder {
 public:
  /// @param config, weights  of the whole model
  /// @throws CheckpointError if a parameter is missing
  WindowEncoder(const model::Config& config, const model::Weights& weights);

  /// @param vectors  [windows, hidden] of all texts: first_states() of the windows
  /// @param offsets  [texts + 1]: text t has the windows offsets[t] … offsets[t + 1] - 1, at least one
  /// @return [texts, labels]
  /// @throws TextError if a text has more windows than the model may have
  [[nodiscard]] Matrix<float> logits(MatrixView<const float> vectors, std::span<const size_t> offsets) const;

 private:
  Engine engine_;
};

}  // namespace summand::engine
