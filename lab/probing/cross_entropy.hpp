#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace summand::lab {

/// −log of the softmax's value at the label, in nats. @tparam Scalar  that it is computed in: double, or dual numbers
template <class Scalar, class Logit>
[[nodiscard]] Scalar cross_entropy(std::span<const Logit> logits, size_t label) {
  using std::exp;
  using std::log;
  Scalar largest(logits.front());
  for (const Logit& logit : logits) largest = largest < Scalar(logit) ? Scalar(logit) : largest;
  Scalar total(0);
  for (const Logit& logit : logits) total = total + exp(Scalar(logit) - largest);
  return largest + log(total) - Scalar(logits[label]);
}

}  // namespace summand::lab
