#include "train/pretrain/pretraining_task.hpp"

#include <c10/core/GradMode.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "train/network/autocast.hpp"
#include "train/run/ratio.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

Denominators step_denominators(std::span<const MaskedBatch> batches) {
  Denominators all;
  for (const auto& batch : batches) {
    all.predicted += batch.predicted.size();
    all.pairs += batch.pair_labels.size();
  }
  return all;
}

double share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

OrderedJson to_json(const LossSums& sums) {
  OrderedJson json{{"loss", sums.loss()}};
  if (sums.predicted > 0) {
    json["masked_loss"] = sums.mean_masked_loss();
    json["perplexity"] = std::exp(sums.mean_masked_loss());
    json["masked_accuracy"] = share(sums.masked_right, sums.predicted);
  }
  json["predicted"] = sums.predicted;
  if (sums.pairs > 0) {
    json["pair_loss"] = sums.mean_pair_loss();
    json["pair_accuracy"] = share(sums.pairs_right, sums.pairs);
    json["pair_base_rate"] = sums.pair_base_rate();
    json["pairs"] = sums.pairs;
  }
  return json;
}

std::string text_of(const LossSums& sums) {
  std::string text = fmt::format("validation loss {:.4f}, masked {:.4f} nats (perplexity {:.1f}), {:.1f} % of {} right",
                                 sums.loss(), sums.mean_masked_loss(), std::exp(sums.mean_masked_loss()),
                                 100 * share(sums.masked_right, sums.predicted), sums.predicted);
  if (sums.pairs > 0) {
    text += fmt::format(", pairs {:.1f} % of {} right (always the same answer: {:.1f} %)",
                        100 * share(sums.pairs_right, sums.pairs), sums.pairs, 100 * sums.pair_base_rate());
  }
  return text;
}

/// Whether training has destroyed the model, which a finite loss does not show.
std::string worse_than_a_guess(const LossSums& sums, int64_t vocabulary) {
  constexpr double kClearly = 1.1;
  const double guess = std::log(static_cast<double>(vocabulary));
  if (sums.mean_masked_loss() < kClearly * guess) return "";
  return fmt::format("; all tokens alike would have {:.2f}: is --learning-rate too high?", guess);
}

}  // namespace

PretrainingTask::PretrainingTask(const model::Config& config, const TokenFile& file, const SpecialIds& ids,
                                 const PretrainOptions& options, std::vector<MaskedBatch> validation)
    : file_(file),
      ids_(ids),
      options_(options),
      positions_(static_cast<size_t>(config.max_position_embeddings)),
      validation_(std::move(validation)),
      seen_(positions_, 0),
      predicted_(positions_, 0) {}

SequenceRules PretrainingTask::rules(size_t phase) const {
  return {.examples = {.length = options_.phases[phase].length,
                       .pairs = options_.pairs,
                       .short_share = options_.short_share},
          .masks = options_.masks,
          .segments = options_.segments,
          .random_start = options_.random_start,
          .positions = positions_};
}

std::vector<MaskedBatch> PretrainingTask::draw(int64_t step) {
  const size_t phase = phase_at(options_, step);
  // A new sequence length starts a new epoch with re-cut texts.
  const bool begins = step > 1 && phase != phase_at(options_, step - 1);
  const BatchPlace place = begins ? BatchPlace{.stream = {.epoch = place_.stream.epoch + 1}} : place_;
  if (!stream_ || begins) stream_.emplace(file_, ids_, rules(phase), options_.seed, place);
  std::vector<MaskedBatch> batches;
  for (int64_t i = 0; i < options_.accumulate; ++i) batches.push_back(stream_->next(options_.batch_tokens));
  place_ = stream_->place();
  return batches;
}

void PretrainingTask::count_positions(const MaskedBatch& batch) {
  for (const int32_t position : batch.batch.positions) ++seen_[static_cast<size_t>(position)];
  for (const size_t token : batch.predicted) ++predicted_[static_cast<size_t>(batch.batch.positions[token])];
}

StepWork PretrainingTask::accumulate_gradients(const Network& network, int64_t step, const Share& share) {
  const auto batches = draw(step);
  const Denominators all = step_denominators(batches);
  LossSums sums;
  StepWork work;
  for (size_t i = 0; i < batches.size(); ++i) {
    count_positions(batches[i]);
    const auto& offsets = batches[i].batch.offsets;
    const auto [begin, end] = share.of(offsets);
    if (begin == end) continue;
    const MaskedBatch batch = batches[i].part(begin, end);
    const auto of_step = static_cast<uint64_t>(step) * static_cast<uint64_t>(options_.accumulate) + i;
    const Dropout dropout(network.config(), options_.seed, of_step, {.text = begin, .token = offsets[begin]});
    sums += train::accumulate_gradients(network, batch, all, &dropout, options_.precision);
    work.tokens += batch.batch.tokens();
  }
  work.loss = ratio(sums.masked_loss, static_cast<double>(all.predicted)) +
              ratio(sums.pair_loss, static_cast<double>(all.pairs));
  work.sums = to_sums(sums);
  return work;
}

Validation PretrainingTask::validate(const Network& network) const {
  at::NoGradGuard no_gradients;
  const Autocast autocast(options_.precision, network.parameters().placement().device.type());
  LossSums sums;
  for (const auto& batch : validation_) sums += batch_loss(network, batch, step_denominators({&batch, 1})).sums;
  return {.score = sums.loss(),
          .numbers = to_json(sums).dump(),
          .text = text_of(sums),
          .warning = worse_than_a_guess(sums, network.config().vocab_size)};
}

OrderedJson PretrainingTask::numbers(const Sums& sums) const {
  return to_json(loss_sums(sums));
}

OrderedJson PretrainingTask::state() const {
  const StreamPlace& place = place_.stream;
  return {{"place",
           {{"epoch", place.epoch}, {"document", place.document}, {"example", place.example}, {"copy", place_.copy}}},
          {"seen", seen_},
          {"predicted", predicted_}};
}

void PretrainingTask::restore(const nlohmann::json& state) {
  const auto& place = state.at("place");
  auto seen = state.at("seen").get<std::vector<uint64_t>>();
  auto predicted = state.at("predicted").get<std::vector<uint64_t>>();
  if (seen.size() != positions_ || predicted.size() != positions_) {
    throw CheckpointError("state.json", fmt::format("seen, predicted: expected {} numbers, got {} and {}", positions_,
                                                    seen.size(), predicted.size()));
  }
  place_ = {.stream = {.epoch = place.at("epoch"), .document = place.at("document"), .example = place.at("example")},
            .copy = place.at("copy")};
  seen_ = std::move(seen);
  predicted_ = std::move(predicted);
  stream_.reset();
}

SequenceRules validation_rules(const PretrainOptions& options) {
  SequenceRules rules;
  rules.examples.length = validation_length(options);
  rules.examples.pairs = options.pairs;
  rules.segments = options.segments;
  return rules;
}

}  // namespace summand::train
