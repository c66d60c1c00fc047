#pragma once

#include "base/matrix.hpp"
#include "model/config.hpp"
#include "model/weights.hpp"
#include "reference/bert.hpp"
#include "reference/heads.hpp"

namespace summand::reference {

/// A model's transformer over windows: model/window_bert.hpp.
///
/// Thread-safety: logits() is const and may be called from several threads at once.
template <class Scalar>
class WindowEncoder {
 public:
  /// @param config, weights  of the whole model
  /// @throws CheckpointError naming the tensor if one is missing
  WindowEncoder(const model::Config& config, const model::Weights& weights);

  /// @param vectors  [windows, hidden] of one text, at least one
  /// @return [1, labels]
  [[nodiscard]] Matrix<Scalar> logits(const Matrix<Scalar>& vectors) const;

 private:
  Bert<Scalar> bert_;
  Heads<Scalar> heads_;
};

extern template class WindowEncoder<float>;
extern template class WindowEncoder<double>;

}  // namespace summand::reference
