#include "train/run/learner.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "train/run/training_error.hpp"

namespace summand::train {

namespace {

void require_finite(double value, std::string_view what, int64_t step) {
  if (std::isfinite(value)) return;
  throw TrainingError(
      fmt::format("step {}", step),
      fmt::format("{}: expected a finite number, got {}; --learning-rate may be too high", what, value));
}

}  // namespace

void add(Sums& sums, const Sums& more) {
  for (const auto& [name, value] : more) sums[name] += value;
}

Learner::Learner(Network& network, LearningTask& task, const LearningOptions& options, const RateFactor& rate)
    : network_(network), task_(task), options_(options), adamw_(network.parameters(), options.adamw, rate) {
  for (const auto& [name, tensor] : network.parameters().all()) {
    if (!tensor.requires_grad()) continue;
    trained_.push_back(tensor);
    by_part_[network.parameters().part_of(name)].push_back(tensor);
  }
}

void Learner::restore(const Progress& progress, const model::Weights& optimiser) {
  progress_ = progress;
  adamw_.restore(optimiser, progress.step);
}

StepResult Learner::step() {
  const int64_t step = progress_.step + 1;
  StepResult result;
  result.learning_rate = learning_rate_at(options_, step);
  adamw_.clear_gradients();
  result.work = task_.accumulate_gradients(network_, step);
  require_finite(result.work.loss, "loss", step);
  for (const auto& [part, tensors] : by_part_) result.part_norms[part] = gradient_norm(tensors);
  double squares = 0;
  for (const auto& [part, norm] : result.part_norms) squares += norm * norm;
  result.gradient_norm = std::sqrt(squares);
  require_finite(result.gradient_norm, "norm of the gradient", step);
  clip_gradients(trained_, result.gradient_norm, options_.clip);
  adamw_.step(result.learning_rate);
  progress_.step = step;
  progress_.tokens += result.work.tokens;
  return result;
}

}  // namespace summand::train
