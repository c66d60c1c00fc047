#include "lab/probing/output_change.hpp"

#include <algorithm>
#include <utility>

#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr Index kSampledTokens = 240;  // under the narrowest model's width in use, where CKA costs least
constexpr double kLargestRatio = 1e3;

double mean_at(std::span<const double> values, std::span<const size_t> chosen) {
  double sum = 0;
  for (const size_t i : chosen) sum += values[i];
  return sum / static_cast<double>(chosen.size());
}

double ratio(double value, double other) {
  return other > value / kLargestRatio ? value / other : (value > 0 ? kLargestRatio : 0);
}

}  // namespace

Undisturbed::Undisturbed(const Subject& subject, const engine::Engine& engine, Texts texts, RandomStream& masks)
    : texts_(std::move(texts)), vector_(sentence_vector_of(subject)) {
  const Results results = run_texts(engine, texts_.batch, vector_);
  vectors_ = results.vectors;
  states_ = sampled(results);
  if (lacks_masked_language(subject)) return;
  masked_ = mask_texts(subject, texts_, masks);
  if (masked_->masked.empty()) {
    masked_.reset();
    return;
  }
  const auto scores = masked_scores(engine, *masked_);
  losses_ = losses_by_text(scores);
  accuracy_ = scores.accuracy();
}

OutputChange Undisturbed::change(const engine::Engine& engine, const Edit& edit, CompareStates states) const {
  model::Batch batch = texts_.batch;
  if (edit) edit(batch);
  const Results results = run_texts(engine, batch, vector_);
  OutputChange change;
  const Vector cosines = cosines_by_row(results.vectors, vectors_);
  for (Index i = 0; i < cosines.size(); ++i) change.vectors.push_back(std::max(0.0, 1 - cosines(i)));
  if (states == CompareStates::all) {
    for (const double similarity : cka_by_layer(sampled(results), states_)) change.states.push_back(1 - similarity);
  }
  if (!masked_) return change;
  MaskedTexts masked = *masked_;
  for (const size_t token : masked.masked) batch.ids[token] = masked_->batch.ids[token];
  masked.batch = std::move(batch);
  const auto scores = masked_scores(engine, masked);
  change.losses = losses_by_text(scores);
  for (size_t i = 0; i < change.losses.size(); ++i) change.losses[i] -= losses_[i];
  change.accuracy = scores.accuracy() - accuracy_;
  return change;
}

Results Undisturbed::sampled(const Results& results) const {
  const Index tokens = results.states.front().rows();
  const Index step = std::max<Index>(1, (tokens + kSampledTokens - 1) / kSampledTokens);
  const auto every_few = Eigen::seq(Index{0}, tokens - 1, step);
  Results sample;
  for (const auto& state : results.states) sample.states.emplace_back(state(every_few, Eigen::all));
  return sample;
}

std::vector<double> Undisturbed::losses_by_text(const MaskedScores& scores) const {
  std::vector<double> sums(texts_.batch.texts());
  std::vector<double> counts(texts_.batch.texts());
  for (size_t i = 0; i < masked_->masked.size(); ++i) {
    const size_t text = texts_.text[masked_->masked[i]];
    sums[text] += scores.losses[i];
    ++counts[text];
  }
  std::vector<double> losses;  // texts without a masked token have none
  for (size_t text = 0; text < sums.size(); ++text) {
    if (counts[text] > 0) losses.push_back(sums[text] / counts[text]);
  }
  return losses;
}

OutputChange mean_of(std::span<const OutputChange> changes) {
  OutputChange mean = changes.front();
  const auto count = static_cast<double>(changes.size());
  const auto average = [&](std::vector<double> OutputChange::*field) {
    for (size_t i = 0; i < (mean.*field).size(); ++i) {
      double sum = 0;
      for (const auto& change : changes) sum += (change.*field)[i];
      (mean.*field)[i] = sum / count;
    }
  };
  average(&OutputChange::vectors);
  average(&OutputChange::states);
  average(&OutputChange::losses);
  mean.accuracy = 0;
  for (const auto& change : changes) mean.accuracy += change.accuracy / count;
  return mean;
}

Estimate mean_over_texts(std::span<const double> values, const Draws& draws) {
  return {.value = mean(values),
          .interval = bootstrap(
              values.size(), [&](std::span<const size_t> chosen) { return mean_at(values, chosen); }, draws)};
}

double ratio_of_means(std::span<const double> values, std::span<const double> others) {
  return ratio(mean(values), mean(others));
}

Estimate ratio_over_texts(std::span<const double> values, std::span<const double> others, const Draws& draws) {
  return {.value = ratio_of_means(values, others),
          .interval = bootstrap(
              values.size(),
              [&](std::span<const size_t> chosen) { return ratio(mean_at(values, chosen), mean_at(others, chosen)); },
              draws)};
}

}  // namespace summand::lab
