#include "train/tasks/interaction_task.hpp"

#include <nlohmann/json.hpp>

namespace summand::train {

namespace {

constexpr size_t kLabels = 4;
constexpr double kNoise = 0.1;         // probability that a label is drawn anew
constexpr double kHeldOutShare = 0.1;  // of the pairs of symbol and position

std::vector<size_t> draw_table(size_t size, RandomStream& random) {
  std::vector<size_t> table(size);
  for (size_t& entry : table) entry = random.below(kLabels);
  return table;
}

}  // namespace

InteractionTask::InteractionTask(const TaskSizes& sizes, uint64_t seed) : Task(kName, sizes, seed) {
  RandomStream random = table_stream();
  of_symbol_ = draw_table(sizes.symbols, random);
  of_position_ = draw_table(sizes.length, random);
  of_segment_ = draw_table(2, random);
  held_out_.assign(sizes.length, std::vector<bool>(sizes.symbols));
  allowed_.resize(sizes.length);
  for (size_t position = 0; position < sizes.length; ++position) {
    for (size_t symbol = 0; symbol < sizes.symbols; ++symbol) {
      held_out_[position][symbol] = random.uniform() < kHeldOutShare;
      if (!held_out_[position][symbol]) allowed_[position].push_back(static_cast<int32_t>(symbol));
    }
    if (allowed_[position].empty()) {
      held_out_[position][0] = false;
      allowed_[position].push_back(0);
    }
  }
}

size_t InteractionTask::answers() const {
  return kLabels;
}

size_t InteractionTask::right_answer(const TaskSequence& sequence, size_t position) const {
  return (of_symbol_[static_cast<size_t>(sequence.symbols[position])] + of_position_[position] +
          of_segment_[static_cast<size_t>(sequence.segments[position])]) %
         kLabels;
}

void InteractionTask::fill(DataPart part, RandomStream& random, TaskSequence& sequence) const {
  const size_t length = sizes().length;
  sequence.boundary = random.below(length + 1);
  const auto first = static_cast<int32_t>(random.below(2));
  for (size_t position = 0; position < length; ++position) {
    const auto& allowed = allowed_[position];
    sequence.symbols[position] = part == DataPart::training ? allowed[random.below(allowed.size())]
                                                            : static_cast<int32_t>(random.below(sizes().symbols));
    sequence.segments[position] = position < sequence.boundary ? first : 1 - first;
    const bool noise = random.uniform() < kNoise;
    sequence.asked.push_back(position);
    sequence.answers.push_back(static_cast<int32_t>(noise ? random.below(kLabels) : right_answer(sequence, position)));
  }
}

Matrix<double> InteractionTask::posterior(const TaskSequence& sequence) const {
  Matrix<double> posterior(sequence.asked.size(), kLabels);
  for (size_t row = 0; row < posterior.rows(); ++row) {
    for (double& label : posterior.row(row)) label = kNoise / kLabels;
    posterior(row, right_answer(sequence, sequence.asked[row])) += 1 - kNoise;
  }
  return posterior;
}

std::vector<double> InteractionTask::context_free() const {
  return std::vector<double>(kLabels, 1.0 / kLabels);
}

nlohmann::ordered_json InteractionTask::tables() const {
  auto held_out = nlohmann::ordered_json::array();
  for (size_t symbol = 0; symbol < sizes().symbols; ++symbol) {
    for (size_t position = 0; position < sizes().length; ++position) {
      if (held_out_[position][symbol]) held_out.push_back({symbol, position});
    }
  }
  return {{"token", of_symbol_}, {"position", of_position_}, {"segment", of_segment_},
          {"noise", kNoise},     {"labels", kLabels},        {"held_out", std::move(held_out)}};
}

}  // namespace summand::train
