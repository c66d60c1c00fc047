#include "api/heads/scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace summand::api {

namespace {

std::vector<double> softmax(std::span<const float> logits) {
  if (logits.empty()) return {};
  const double largest = *std::ranges::max_element(logits);
  std::vector<double> scores;
  scores.reserve(logits.size());
  for (const float logit : logits) scores.push_back(std::exp(static_cast<double>(logit) - largest));
  const double total = std::accumulate(scores.begin(), scores.end(), 0.0);
  for (double& score : scores) score /= total;
  return scores;
}

}  // namespace

double sigmoid(double x) {
  if (x >= 0) return 1.0 / (1.0 + std::exp(-x));
  const double power = std::exp(x);
  return power / (1.0 + power);
}

std::vector<double> to_scores(std::span<const float> logits, ScoreFunction function) {
  std::vector<double> scores(logits.begin(), logits.end());
  switch (function) {
    case ScoreFunction::softmax:
      return softmax(logits);
    case ScoreFunction::sigmoid:
      for (double& score : scores) score = sigmoid(score);
      return scores;
    case ScoreFunction::identity:
      return scores;
  }
  __builtin_unreachable();
}

bool ranks_before(double one, double other) {
  if (std::isnan(one) || std::isnan(other)) return !std::isnan(one) && std::isnan(other);
  return one > other;
}

std::vector<size_t> largest_indices(std::span<const double> scores, size_t most) {
  std::vector<size_t> places(scores.size());
  std::iota(places.begin(), places.end(), size_t{0});
  const auto kept = places.begin() + static_cast<std::ptrdiff_t>(std::min(most, places.size()));
  std::partial_sort(places.begin(), kept, places.end(), [&](size_t a, size_t b) {
    if (ranks_before(scores[a], scores[b])) return true;
    return a < b && !ranks_before(scores[b], scores[a]);
  });
  places.erase(kept, places.end());
  return places;
}

}  // namespace summand::api
