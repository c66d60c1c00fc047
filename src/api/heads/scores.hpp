#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace summand::api {

/// A function from a head's logits to scores.
enum class ScoreFunction { softmax, sigmoid, identity };

/// The scores in double precision, one per logit.
[[nodiscard]] std::vector<double> to_scores(std::span<const float> logits, ScoreFunction function);

/// 1 / (1 + e^-x), without overflow.
[[nodiscard]] double sigmoid(double x);

/// Whether one score ranks before another. NaN ranks last.
[[nodiscard]] bool ranks_before(double one, double other);

/// Indices of the `most` largest scores, largest first; ties in order of index.
[[nodiscard]] std::vector<size_t> largest_indices(std::span<const double> scores, size_t most);

}  // namespace summand::api
