#pragma once

#include <string>
#include <unordered_map>

#include "base/matrix.hpp"
#include "base/matrix_view.hpp"
#include "engine/kernels/single_precision.hpp"
#include "engine/layers/packed_linear.hpp"
#include "model/composition.hpp"
#include "model/weights.hpp"

namespace summand::engine {

/// A composition ready for the kernels: the rows of many tokens at once, in single precision whatever the layers have.
/// A token's bits do not depend on other tokens.
class ComposedInput {
 public:
  /// @throws CheckpointError if a parameter is missing
  ComposedInput(const model::Composition& composition, size_t hidden, const model::Weights& weights);

  /// @param parts  [tokens, width] each @param out  [tokens, hidden]; may be one of the parts
  void compose(const SinglePrecisionKernels& kernels, const model::InputParts<MatrixView<const float>>& parts,
               MatrixView<float> out) const;

 private:
  friend class TokenOps;

  model::Composition composition_;
  std::unordered_map<std::string, PackedLinear> products_;    ///< W·x + b, by name
  std::unordered_map<std::string, PackedLinear> transposed_;  ///< Wᵀ·x
  std::unordered_map<std::string, std::vector<float>> scales_;
};

}  // namespace summand::engine
