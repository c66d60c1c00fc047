#include "train/tasks/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "train/tasks/combined_task.hpp"
#include "train/tasks/interaction_task.hpp"
#include "train/tasks/relative_task.hpp"
#include "train/tasks/segment_task.hpp"
#include "train/tasks/topic_task.hpp"

namespace summand::train {

namespace {

constexpr std::array<std::string_view, 5> kNames{TopicTask::kName, RelativeTask::kName, SegmentTask::kName,
                                                 InteractionTask::kName, CombinedTask::kName};

std::vector<size_t> masked_positions(size_t length, size_t masked, RandomStream& random) {
  std::vector<size_t> positions(length);
  std::iota(positions.begin(), positions.end(), size_t{0});
  random.shuffle(std::span(positions));
  positions.resize(masked);
  std::ranges::sort(positions);
  return positions;
}

}  // namespace

RandomStream Task::table_stream() const {
  return {seed_, fmt::format("study {} tables", name_)};
}

TaskSequence Task::draw(DataPart part, uint64_t index, std::optional<size_t> masked) const {
  const auto* name = part == DataPart::training ? "training" : "evaluation";
  RandomStream random(seed_, fmt::format("study {} {} {}", name_, name, index));
  TaskSequence sequence;
  sequence.symbols.resize(sizes_.length);
  sequence.segments.resize(sizes_.length);
  sequence.boundary = sizes_.length;
  fill(part, random, sequence);
  if (masks()) {
    sequence.asked = masked_positions(sizes_.length, masked.value_or(sizes_.masked), random);
    for (const size_t position : sequence.asked) sequence.answers.push_back(sequence.symbols[position]);
  }
  return sequence;
}

std::span<const std::string_view> task_names() {
  return kNames;
}

std::unique_ptr<Task> make_task(std::string_view name, const TaskSizes& sizes, uint64_t seed) {
  if (name == TopicTask::kName) return std::make_unique<TopicTask>(sizes, seed);
  if (name == RelativeTask::kName) return std::make_unique<RelativeTask>(sizes, seed);
  if (name == SegmentTask::kName) return std::make_unique<SegmentTask>(sizes, seed);
  if (name == InteractionTask::kName) return std::make_unique<InteractionTask>(sizes, seed);
  SUMMAND_ASSERT(name == CombinedTask::kName);
  return std::make_unique<CombinedTask>(sizes, seed);
}

std::vector<int32_t> seen_symbols(const TaskSequence& sequence) {
  std::vector<int32_t> symbols = sequence.symbols;
  for (const size_t position : sequence.asked) symbols[position] = kUnseen;
  return symbols;
}

Matrix<double> random_distributions(size_t rows, size_t columns, double sharpness, RandomStream& random) {
  Matrix<double> table(rows, columns);
  for (size_t row = 0; row < rows; ++row) {
    for (double& weight : table.row(row)) weight = std::exp(sharpness * random.normal());
    normalise(table.row(row));
  }
  return table;
}

size_t draw_from(std::span<const double> distribution, RandomStream& random) {
  double left = random.uniform();
  for (size_t index = 0; index + 1 < distribution.size(); ++index) {
    left -= distribution[index];
    if (left < 0) return index;
  }
  return distribution.size() - 1;
}

void normalise(std::span<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
}

nlohmann::ordered_json json_rows(const Matrix<double>& rows) {
  auto json = nlohmann::ordered_json::array();
  for (size_t row = 0; row < rows.rows(); ++row) {
    json.push_back(std::vector<double>(rows.row(row).begin(), rows.row(row).end()));
  }
  return json;
}

}  // namespace summand::train
