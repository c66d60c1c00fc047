#pragma once

#include <cmath>
#include <span>

#include "model/activation.hpp"

namespace summand::reference {

/// x·σ(x) and its kin, elementwise.
/// Source: transformers, activations.py; Hendrycks & Gimpel 2016, section 2.
template <class Scalar>
[[nodiscard]] Scalar activate(model::Activation activation, const Scalar& x) {
  using std::erf;
  using std::exp;
  using std::tanh;
  constexpr double kRootHalf = 0.70710678118654752440;
  constexpr double kRootTwoOverPi = 0.79788456080286535588;
  switch (activation) {
    case model::Activation::gelu:
      return Scalar(0.5) * x * (Scalar(1) + erf(x * Scalar(kRootHalf)));
    case model::Activation::gelu_tanh:
      return Scalar(0.5) * x * (Scalar(1) + tanh(Scalar(kRootTwoOverPi) * (x + Scalar(0.044715) * x * x * x)));
    case model::Activation::relu:
      return x < Scalar(0) ? Scalar(0) : x;
    case model::Activation::silu:
      return x / (Scalar(1) + exp(-x));
    case model::Activation::tanh:
      return tanh(x);
    case model::Activation::linear:
      return x;
    case model::Activation::half:
      return Scalar(0.5) * x;
  }
  __builtin_unreachable();
}

/// Replaces a row by its softmax: e^(x - max) divided by its sum.
template <class Scalar>
void softmax(std::span<Scalar> row) {
  using std::exp;
  Scalar largest = row.front();
  for (const Scalar& x : row) largest = largest < x ? x : largest;
  Scalar total(0);
  for (Scalar& x : row) {
    x = exp(x - largest);
    total = total + x;
  }
  for (Scalar& x : row) x = x / total;
}

}  // namespace summand::reference
