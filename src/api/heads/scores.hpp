#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace summand::api {

/// What turns a head's logits into scores.
enum class ScoreFunction { softmax, sigmoid, identity };

/// Scores in double, as many as logits.
[[nodiscard]] std::vector<double> to_scores(std::span<const float> logits, ScoreFunction function);

/// 1 / (1 + e^-x), without overflow.
[[nodiscard]] double sigmoid(double x);

/// Whether one score stands before another. What is not a number comes last.
[[nodiscard]] bool ranks_before(double one, double other);

/// Places of the `most` largest scores, largest first; of equal ones, the first first.
[[nodiscard]] std::vector<size_t> largest_indices(std::span<const double> scores, size_t most);

}  // namespace summand::api
