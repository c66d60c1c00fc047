#include "train/trainer.hpp"

#include <c10/core/GradMode.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "model/parameters.hpp"
#include "train/autocast.hpp"
#include "train/training_error.hpp"

namespace summand::train {

namespace {

void require_finite(double value, std::string_view what, int64_t step) {
  if (std::isfinite(value)) return;
  throw TrainingError(
      fmt::format("step {}", step),
      fmt::format("{}: expected a finite number, got {}; --learning-rate may be too high", what, value));
}

Denominators step_denominators(std::span<const MaskedBatch> batches) {
  Denominators all;
  for (const auto& batch : batches) {
    all.predicted += batch.predicted.size();
    all.pairs += batch.pair_labels.size();
  }
  return all;
}

}  // namespace

Trainer::Trainer(Network& network, const TokenFile& file, const SpecialIds& ids, const PretrainOptions& options)
    : network_(network), file_(file), ids_(ids), options_(options), adamw_(network.parameters(), options.adamw) {
  const auto positions = static_cast<size_t>(network.config().max_position_embeddings);
  progress_.seen.assign(positions, 0);
  progress_.predicted.assign(positions, 0);
  for (const auto& [name, tensor] : network.parameters().all()) {
    if (!tensor.requires_grad()) continue;
    trained_.push_back(tensor);
    by_part_[network.parameters().part_of(name)].push_back(tensor);
  }
}

void Trainer::restore(const Progress& progress, const model::Weights& optimiser) {
  const auto positions = static_cast<size_t>(network_.config().max_position_embeddings);
  if (progress.seen.size() != positions || progress.predicted.size() != positions) {
    throw CheckpointError("state.json", fmt::format("seen, predicted: expected {} numbers, got {} and {}", positions,
                                                    progress.seen.size(), progress.predicted.size()));
  }
  progress_ = progress;
  stream_.reset();
  adamw_.restore(optimiser, progress.step);
}

SequenceRules Trainer::rules(size_t phase) const {
  return {.examples = {.length = options_.phases[phase].length,
                       .pairs = options_.pairs,
                       .short_share = options_.short_share},
          .masks = options_.masks,
          .segments = options_.segments,
          .random_start = options_.random_start,
          .positions = static_cast<size_t>(network_.config().max_position_embeddings)};
}

std::vector<MaskedBatch> Trainer::draw() {
  const size_t phase = phase_at(options_, progress_.step + 1);
  // A new sequence length starts a new epoch with re-cut texts.
  const bool begins = progress_.step > 0 && phase != phase_at(options_, progress_.step);
  const BatchPlace place = begins ? BatchPlace{.stream = {.epoch = progress_.place.stream.epoch + 1}} : progress_.place;
  if (!stream_ || begins) stream_.emplace(file_, ids_, rules(phase), options_.seed, place);
  std::vector<MaskedBatch> batches;
  for (int64_t i = 0; i < options_.accumulate; ++i) batches.push_back(stream_->next(options_.batch_tokens));
  progress_.place = stream_->place();
  return batches;
}

StepResult Trainer::step() {
  const int64_t step = progress_.step + 1;
  const auto batches = draw();
  const Denominators all = step_denominators(batches);
  StepResult result;
  result.learning_rate = learning_rate_at(options_, step);
  adamw_.clear_gradients();
  for (size_t i = 0; i < batches.size(); ++i) {
    const MaskedBatch& batch = batches[i];
    const auto of_step = static_cast<uint64_t>(step) * static_cast<uint64_t>(options_.accumulate) + i;
    const Dropout dropout(network_.config(), options_.seed, of_step);
    const LossSums sums = accumulate_gradients(network_, batch, all, &dropout, options_.precision);
    result.sums += sums;
    result.tokens += batch.batch.tokens();
    require_finite(sums.loss(), "loss", step);
    for (const int32_t position : batch.batch.positions) ++progress_.seen[static_cast<size_t>(position)];
    for (const size_t token : batch.predicted) {
      ++progress_.predicted[static_cast<size_t>(batch.batch.positions[token])];
    }
  }
  for (const auto& [part, tensors] : by_part_) result.part_norms[part] = gradient_norm(tensors);
  double squares = 0;
  for (const auto& [part, norm] : result.part_norms) squares += norm * norm;
  result.gradient_norm = std::sqrt(squares);
  require_finite(result.gradient_norm, "norm of the gradient", step);
  clip_gradients(trained_, result.gradient_norm, options_.clip);
  adamw_.step(result.learning_rate);
  progress_.step = step;
  progress_.tokens += result.tokens;
  return result;
}

LossSums validate(const Network& network, const std::vector<MaskedBatch>& batches, Precision precision) {
  at::NoGradGuard no_gradients;
  const Autocast autocast(precision, network.parameters().placement().device.type());
  LossSums sums;
  for (const auto& batch : batches) sums += batch_loss(network, batch, step_denominators(std::span(&batch, 1))).sums;
  return sums;
}

SequenceRules validation_rules(const PretrainOptions& options) {
  SequenceRules rules;
  rules.examples.length = validation_length(options);
  rules.examples.pairs = options.pairs;
  rules.segments = options.segments;
  return rules;
}

}  // namespace summand::train
