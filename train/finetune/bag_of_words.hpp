#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.hpp"

namespace summand::train {

/// A baseline without order and without pre-training: multinomial logistic regression on how often each token is in a
/// text. Minimises the sum of the losses plus half the squared norm of the weights (biases apart), by L-BFGS: what
/// scikit-learn's CountVectorizer with LogisticRegression(C=1) does, on tokens instead of words.
class BagOfWords {
 public:
  /// @param texts  ids of each
  /// @param labels  [texts]
  /// @param classes  number of labels
  BagOfWords(std::span<const std::vector<int32_t>> texts, std::span<const int32_t> labels, size_t classes);

  /// The most likely label of each text.
  [[nodiscard]] std::vector<int32_t> predict(std::span<const std::vector<int32_t>> texts) const;

  /// Logits, [texts, classes].
  [[nodiscard]] Matrix<double> logits(std::span<const std::vector<int32_t>> texts) const;

 private:
  size_t classes_;
  Matrix<double> weights_;  // [ids, classes]
  std::vector<double> biases_;
};

}  // namespace summand::train
