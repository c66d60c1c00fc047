#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.hpp"

namespace summand::train {

/// The ids that occur in texts, each once, sorted.
[[nodiscard]] std::vector<int32_t> different_ids(std::span<const std::vector<int32_t>> texts);

/// What a linear model adds up for a text's tokens.
struct TokenWeights {
  std::vector<int32_t> ids = {};    ///< sorted; others add nothing
  Matrix<double> weights = {};      ///< [ids, outputs]
  std::vector<double> biases = {};  ///< [outputs]
};

/// A baseline without order and without pre-training: a linear model on how often each token is in a text, multinomial
/// logistic regression for labels and ridge regression for numbers. Minimises the sum of the losses plus half the
/// squared norm of the weights (biases apart), by L-BFGS: what scikit-learn's CountVectorizer with
/// LogisticRegression(C=1) or Ridge(alpha=1) does, on tokens instead of words. The constructors throw Interrupted.
class BagOfWords {
 public:
  /// For labels.
  /// @param texts  ids of each
  /// @param labels  [texts]
  /// @param classes  number of labels
  BagOfWords(std::span<const std::vector<int32_t>> texts, std::span<const int32_t> labels, size_t classes);
  /// For numbers, [texts].
  BagOfWords(std::span<const std::vector<int32_t>> texts, std::span<const double> numbers);

  /// The most likely label of each text.
  [[nodiscard]] std::vector<int32_t> predict(std::span<const std::vector<int32_t>> texts) const;

  /// Logits, [texts, classes]; or the numbers, [texts, 1].
  [[nodiscard]] Matrix<double> outputs(std::span<const std::vector<int32_t>> texts) const;

 private:
  TokenWeights model_;
};

}  // namespace summand::train
