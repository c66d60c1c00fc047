#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/matrix_view.hpp"
#include "model/sentence_modules.hpp"

namespace summand::model {

/// The hidden states that a pooling reads, counted back from the last: 1 or 4.
[[nodiscard]] inline size_t layers_read(Pooling pooling) {
  return pooling == Pooling::last_four_mean || pooling == Pooling::last_four_concat ? 4 : 1;
}

/// Appends one pooled vector to `out`.
/// @param layers  hidden states of one text, [length, hidden] each, the last layer last; at least layers_read(pooling)
/// @param skip    tokens at the front that do not count (a prompt's); the rest is what cls, mean, max and weights see
/// A text without counted tokens gives zeros. Sums run over tokens in their order.
template <class Scalar>
void pool(Pooling pooling, std::span<const MatrixView<const Scalar>> layers, size_t skip, std::vector<Scalar>& out) {
  const MatrixView<const Scalar> last = layers.back();
  const size_t begin = std::min(skip, last.rows());
  const size_t count = last.rows() - begin;
  const size_t width = last.columns();
  const size_t first = out.size();
  out.resize(first + width * (pooling == Pooling::last_four_concat ? layers_read(pooling) : 1), Scalar(0));
  const auto result = std::span(out).subspan(first);
  if (count == 0) return;

  const auto add = [&](MatrixView<const Scalar> states, std::span<Scalar> to, auto weight) {
    for (size_t token = 0; token < count; ++token) {
      const auto row = states.row(begin + token);
      for (size_t i = 0; i < width; ++i) to[i] = to[i] + row[i] * Scalar(weight(token));
    }
  };
  const auto divide = [&](double by) {
    for (Scalar& x : result) x = x / Scalar(by);
  };
  const auto one = [](size_t) { return 1.0; };
  const auto tokens = static_cast<double>(count);
  switch (pooling) {
    case Pooling::cls:
      std::ranges::copy(last.row(begin), result.begin());
      return;
    case Pooling::last_token:
      std::ranges::copy(last.row(last.rows() - 1), result.begin());
      return;
    case Pooling::mean:
      add(last, result, one);
      return divide(tokens);
    case Pooling::mean_sqrt_length:
      add(last, result, one);
      return divide(std::sqrt(tokens));
    case Pooling::weighted_mean:
      // A weight is the token's place in the text, one-based, also where a prompt in front of it does not count.
      add(last, result, [&](size_t token) { return static_cast<double>(begin + token + 1); });
      return divide(tokens * (2 * static_cast<double>(begin) + tokens + 1) / 2);
    case Pooling::max:
      std::ranges::copy(last.row(begin), result.begin());
      for (size_t token = 1; token < count; ++token) {
        const auto row = last.row(begin + token);
        for (size_t i = 0; i < width; ++i) result[i] = std::max(result[i], row[i]);
      }
      return;
    case Pooling::last_four_mean:
      for (const auto& states : layers.last(layers_read(pooling))) add(states, result, one);
      return divide(4 * tokens);
    case Pooling::last_four_concat:
      for (size_t layer = 0; layer < layers_read(pooling); ++layer) {
        add(layers[layers.size() - layers_read(pooling) + layer], result.subspan(layer * width, width), one);
      }
      return divide(tokens);
  }
}

}  // namespace summand::model
