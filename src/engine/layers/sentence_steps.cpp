#include "engine/layers/sentence_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/assert.hpp"

namespace summand::engine {

namespace {

/// Divides by the Euclidean norm; a zero vector stays. Source: torch.nn.functional.normalize, eps 1e-12.
void divide_by_norm(std::vector<float>& vector) {
  double squares = 0;
  for (const float x : vector) squares += static_cast<double>(x) * x;
  const double norm = std::max(std::sqrt(squares), 1e-12);
  for (float& x : vector) x = static_cast<float>(x / norm);
}

/// Source: torch.nn.LayerNorm, with the variance of all coordinates.
void standardise(std::vector<float>& vector, std::span<const float> weight, std::span<const float> bias) {
  const auto width = static_cast<double>(vector.size());
  double mean = 0;
  for (const float x : vector) mean += static_cast<double>(x) / width;
  double variance = 0;
  for (const float x : vector) variance += (x - mean) * (x - mean) / width;
  const double scale = 1 / std::sqrt(variance + model::VectorNorm::kEpsilon);
  for (size_t i = 0; i < vector.size(); ++i) {
    vector[i] = static_cast<float>((vector[i] - mean) * scale * static_cast<double>(weight[i]) + bias[i]);
  }
}

}  // namespace

SentenceSteps::SentenceSteps(std::span<const model::SentenceStep> steps) {
  for (const auto& step : steps) {
    if (const auto* dense = std::get_if<model::Dense>(&step)) {
      steps_.emplace_back(SentenceDense(*dense));
    } else if (const auto* norm = std::get_if<model::VectorNorm>(&step)) {
      steps_.emplace_back(Norm{model::to_floats(norm->weight), model::to_floats(norm->bias)});
    } else {
      steps_.emplace_back(model::Normalize());
    }
  }
}

std::optional<size_t> SentenceSteps::width_taken(size_t step) const {
  if (const auto* dense = std::get_if<SentenceDense>(&steps_[step])) return dense->in();
  if (const auto* norm = std::get_if<Norm>(&steps_[step])) return norm->weight.size();
  return std::nullopt;
}

std::optional<size_t> SentenceSteps::width_after(size_t step, size_t width) const {
  if (width_taken(step).value_or(width) != width) return std::nullopt;
  const auto* dense = std::get_if<SentenceDense>(&steps_[step]);
  return dense != nullptr ? dense->out() : width;
}

std::vector<float> SentenceSteps::apply(Range steps, std::vector<float> vector) const {
  SUMMAND_ASSERT(steps.begin <= steps.end && steps.end <= steps_.size());
  for (size_t step = steps.begin; step < steps.end; ++step) {
    if (const auto* dense = std::get_if<SentenceDense>(&steps_[step])) {
      std::vector<float> result(dense->out());
      dense->apply(vector, result);
      vector = std::move(result);
    } else if (const auto* norm = std::get_if<Norm>(&steps_[step])) {
      standardise(vector, norm->weight, norm->bias);
    } else {
      divide_by_norm(vector);
    }
  }
  return vector;
}

}  // namespace summand::engine
