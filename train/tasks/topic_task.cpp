#include "train/tasks/topic_task.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace summand::train {

namespace {

constexpr double kSharpness = 1.5;

}  // namespace

TopicTask::TopicTask(const TaskSizes& sizes, uint64_t seed) : Task(kName, sizes, seed) {
  RandomStream random = table_stream();
  topics_ = random_distributions(sizes.topics, sizes.symbols, kSharpness, random);
}

void TopicTask::fill(DataPart, RandomStream& random, TaskSequence& sequence) const {
  const size_t topic = random.below(topics_.rows());
  for (int32_t& symbol : sequence.symbols) symbol = static_cast<int32_t>(draw_from(topics_.row(topic), random));
}

Matrix<double> TopicTask::posterior(const TaskSequence& sequence) const {
  std::vector<double> of_topics(topics_.rows(), 0);  // logarithms of weights, then probabilities
  for (const int32_t symbol : seen_symbols(sequence)) {
    if (symbol == kUnseen) continue;
    for (size_t topic = 0; topic < topics_.rows(); ++topic) {
      of_topics[topic] += std::log(topics_(topic, static_cast<size_t>(symbol)));
    }
  }
  const double largest = std::ranges::max(of_topics);
  for (double& topic : of_topics) topic = std::exp(topic - largest);
  normalise(of_topics);
  const std::vector<double> symbols = mixture(of_topics);
  Matrix<double> posterior(sequence.asked.size(), symbols.size());
  for (size_t row = 0; row < posterior.rows(); ++row) std::ranges::copy(symbols, posterior.row(row).begin());
  return posterior;
}

std::vector<double> TopicTask::context_free() const {
  return mixture(std::vector<double>(topics_.rows(), 1 / static_cast<double>(topics_.rows())));
}

nlohmann::ordered_json TopicTask::tables() const {
  return {{"topics", json_rows(topics_)}};
}

std::vector<double> TopicTask::mixture(std::span<const double> of_topics) const {
  std::vector<double> symbols(topics_.columns(), 0);
  for (size_t topic = 0; topic < topics_.rows(); ++topic) {
    for (size_t symbol = 0; symbol < symbols.size(); ++symbol)
      symbols[symbol] += of_topics[topic] * topics_(topic, symbol);
  }
  return symbols;
}

}  // namespace summand::train
