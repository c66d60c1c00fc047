#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engine/kernels/single_precision.hpp"
#include "engine/layers/packed_linear.hpp"
#include "model/sentence_modules.hpp"

namespace summand::engine {

/// A Dense module of sentence-transformers, activation(W·x + b) and what it adds, packed once for the products in
/// single precision. A vector's result has the same bits whatever else is computed.
///
/// Thread-safety: apply() may be called from several threads at once.
class SentenceDense {
 public:
  /// Copies the weights. @param dense  weight [out, in], bias [out] or none
  explicit SentenceDense(const model::Dense& dense);

  [[nodiscard]] size_t in() const { return linear_.in(); }
  [[nodiscard]] size_t out() const { return linear_.out(); }

  /// @param vector  [in]
  /// @param result  [out], apart from `vector`
  void apply(std::span<const float> vector, std::span<float> result) const;

 private:
  void activate_all(std::span<float> values) const;

  const SinglePrecisionKernels* kernels_;
  PackedLinear linear_;
  model::TorchActivation activation_;
  model::Residual residual_;
  std::optional<PackedLinear> projection_;
};

}  // namespace summand::engine
