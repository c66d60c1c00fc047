#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.hpp"

namespace summand::train {

/// A hidden Markov model whose tables may differ from position to position. The tables outlive it.
struct HiddenMarkov {
  std::span<const double> initial;  ///< [states], at position 0
  std::vector<const Matrix<double>*>
      transitions;  ///< [length] of [states, states], into each position; the first is not read
  std::vector<const Matrix<double>*> emissions;  ///< [length] of [states, symbols]
};

/// What a reader of some symbols knows of the others.
struct Smoothed {
  Matrix<double> symbols;     ///< [asked, symbols]
  double log_likelihood = 0;  ///< of the symbols that are seen, nats
};

/// By the forward and the backward pass. Source: Rabiner 1989, "A tutorial on hidden Markov models", section III
/// @param seen  [length], kUnseen where a symbol is not seen
/// @param asked  positions of unseen symbols
[[nodiscard]] Smoothed smooth(const HiddenMarkov& model, std::span<const int32_t> seen, std::span<const size_t> asked);

/// Distribution of the state at each position before anything is seen, [length, states].
[[nodiscard]] Matrix<double> state_priors(std::span<const double> initial,
                                          std::span<const Matrix<double>* const> transitions);

/// The mean of what equally likely models say, each weighted by how well it explains what is seen.
[[nodiscard]] Matrix<double> mixture_of(std::span<const Smoothed> models);

}  // namespace summand::train
