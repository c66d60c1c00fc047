#include "train/run/learner.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/hash.hpp"
#include "base/json_file.hpp"
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

void Learner::begin_together() {
  if (ranks_->is_alone()) return;
  for (const auto& [name, tensor] : network_.parameters().all()) ranks_->copy_from_first(tensor);
  for (const at::Tensor& tensor : adamw_.tensors()) ranks_->copy_from_first(tensor);
  const nlohmann::ordered_json own{{"step", progress_.step}, {"tokens", progress_.tokens}, {"task", task_.state()}};
  const Json first = Json::parse(ranks_->from_first(own.dump()));
  if (ranks_->is_first()) return;
  progress_ = {.step = first.at("step"), .tokens = first.at("tokens")};
  task_.restore(first.at("task"));
}

void Learner::require_same_parameters() {
  if (ranks_->is_alone()) return;
  Hash hash;
  for (const auto& [name, tensor] : network_.parameters().all()) {
    const at::Tensor own = tensor.detach().to(at::kCPU).contiguous();
    hash.add({static_cast<const char*>(own.const_data_ptr()), own.nbytes()});
  }
  const auto all = ranks_->gather(fmt::format("{:016x}", hash.value()));
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw TrainingError(fmt::format("step {}", progress_.step),
                        fmt::format("rank {}: expected the parameters of rank 0, whose hash is {}, got {}; do all "
                                    "processes run on processors of one kind?",
                                    rank, all[0], all[rank]));
  }
}

void Learner::sum_over_ranks(StepWork& work) {
  if (ranks_->is_alone()) return;
  std::vector<at::Tensor> gradients;
  for (at::Tensor& tensor : trained_) {
    if (!tensor.grad().defined()) tensor.mutable_grad() = at::zeros_like(tensor);
    gradients.push_back(tensor.grad());
  }
  ranks_->sum(gradients);
  std::vector<double> numbers{work.loss, static_cast<double>(work.tokens)};
  for (const auto& [name, sum] : work.sums) numbers.push_back(sum);
  numbers = ranks_->sum(numbers);
  work.loss = numbers[0];
  work.tokens = static_cast<uint64_t>(numbers[1]);
  size_t next = 2;
  for (auto& [name, sum] : work.sums) sum = numbers[next++];
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
  result.work = task_.accumulate_gradients(network_, step, ranks_->share());
  sum_over_ranks(result.work);
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
