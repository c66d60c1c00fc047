#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/statistics/table.hpp"

namespace summand::lab {

struct LogisticSettings {
  double penalty = 1;       ///< λ of Σ −log p(label) + λ/2 · Σ weights²; offsets are not penalised. 0 or more
  double tolerance = 1e-6;  ///< of the gradient of that sum divided by the rows: its largest entry
  int iterations = 2000;    ///< at most
  int threads = 1;          ///< of the shared pool; the result does not depend on it
};

/// A linear probe: logits = x · weights + offset. Two classes have one logit, that of class 1 against class 0; more
/// have one each.
struct LogisticModel {
  Table weights;           ///< [columns, logits]
  Vector offset;           ///< [logits]
  double loss = 0;         ///< what was made small, divided by the rows, in nats
  double gradient = 0;     ///< the largest entry where it ended
  bool converged = false;  ///< whether that is within the tolerance

  /// @return [rows, classes], rows sum to 1
  [[nodiscard]] Table probabilities(const Table& inputs) const;
  /// The most probable class of every row, the lower of two equal ones.
  [[nodiscard]] std::vector<int32_t> predict(const Table& inputs) const;
};

/// Regularised maximum likelihood by L-BFGS. Columns of very different scale slow it down: standardise them first.
/// @param labels   of every row, 0 … classes − 1
/// @param classes  2 or more
/// @throws UsageError if labels are missing or out of range
/// Source: Nocedal & Wright 2006, algorithms 7.4 and 3.5
[[nodiscard]] LogisticModel fit_logistic(const Table& inputs, std::span<const int32_t> labels, size_t classes,
                                         const LogisticSettings& settings);

/// The fraction of labels that are met. @throws UsageError if the two differ in length or are empty
[[nodiscard]] double accuracy(std::span<const int32_t> predicted, std::span<const int32_t> labels);

}  // namespace summand::lab
