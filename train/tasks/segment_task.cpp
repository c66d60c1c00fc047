#include "train/tasks/segment_task.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace summand::train {

namespace {

constexpr double kSharpness = 2;

}  // namespace

SegmentTask::SegmentTask(const TaskSizes& sizes, uint64_t seed)
    : Task(kName, sizes, seed), boundaries_(Boundaries::of(sizes.length)), restart_(sizes.states, sizes.states) {
  RandomStream random = table_stream();
  initial_ = random_distributions(2, sizes.states, kSharpness, random);
  for (size_t model = 0; model < 2; ++model) {
    transitions_[model] = random_distributions(sizes.states, sizes.states, kSharpness, random);
    emissions_[model] = random_distributions(sizes.states, sizes.symbols, kSharpness, random);
  }
  for (size_t row = 0; row < sizes.states; ++row) std::ranges::copy(initial_.row(1), restart_.row(row).begin());
}

void SegmentTask::fill(DataPart, RandomStream& random, TaskSequence& sequence) const {
  sequence.boundary = boundaries_.draw(random);
  size_t state = 0;
  for (size_t at = 0; at < sizes().length; ++at) {
    const size_t model = at < sequence.boundary ? 0 : 1;
    const bool begins = at == 0 || at == sequence.boundary;
    state = draw_from(begins ? initial_.row(model) : transitions_[model].row(state), random);
    sequence.segments[at] = static_cast<int32_t>(model);
    sequence.symbols[at] = static_cast<int32_t>(draw_from(emissions_[model].row(state), random));
  }
}

HiddenMarkov SegmentTask::with_boundary(size_t boundary) const {
  HiddenMarkov model{.initial = initial_.row(0), .transitions = {}, .emissions = {}};
  for (size_t at = 0; at < sizes().length; ++at) {
    const size_t segment = at < boundary ? 0 : 1;
    model.transitions.push_back(at == boundary ? &restart_ : &transitions_[segment]);
    model.emissions.push_back(&emissions_[segment]);
  }
  return model;
}

Matrix<double> SegmentTask::posterior(const TaskSequence& sequence) const {
  return smooth(with_boundary(sequence.boundary), seen_symbols(sequence), sequence.asked).symbols;
}

HiddenPosteriors SegmentTask::hidden_posteriors(const TaskSequence& sequence) const {
  const std::vector<int32_t> seen = seen_symbols(sequence);
  std::vector<Smoothed> all;
  for (const size_t boundary : boundaries_.all()) {
    all.push_back(smooth(with_boundary(boundary), seen, sequence.asked));
  }
  HiddenPosteriors hidden;
  hidden.emplace(kBoundary, mixture_of(all));
  return hidden;
}

std::vector<double> SegmentTask::context_free() const {
  std::vector<size_t> everywhere(sizes().length);
  std::iota(everywhere.begin(), everywhere.end(), size_t{0});
  const std::vector<int32_t> nothing(sizes().length, kUnseen);
  std::vector<double> mean(sizes().symbols, 0);
  for (const size_t boundary : boundaries_.all()) {
    const Matrix<double> rows = smooth(with_boundary(boundary), nothing, everywhere).symbols;
    for (size_t at = 0; at < rows.rows(); ++at) {
      std::ranges::transform(mean, rows.row(at), mean.begin(), std::plus());
    }
  }
  normalise(mean);
  return mean;
}

nlohmann::ordered_json SegmentTask::tables() const {
  return {{"initial", json_rows(initial_)},
          {"transitions", {json_rows(transitions_[0]), json_rows(transitions_[1])}},
          {"emissions", {json_rows(emissions_[0]), json_rows(emissions_[1])}},
          {"boundaries", {boundaries_.first, boundaries_.last}}};
}

}  // namespace summand::train
