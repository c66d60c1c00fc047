#pragma once

#include "train/tasks/task.hpp"

namespace summand::train {

/// Independent symbols of one topic: order means nothing. Source: docs/study-tasks.md, "topic"
class TopicTask : public Task {
 public:
  static constexpr std::string_view kName = "topic";
  TopicTask(const TaskSizes& sizes, uint64_t seed);

  [[nodiscard]] Matrix<double> posterior(const TaskSequence& sequence) const override;
  [[nodiscard]] std::vector<double> context_free() const override;
  [[nodiscard]] nlohmann::ordered_json tables() const override;

 protected:
  void fill(DataPart part, RandomStream& random, TaskSequence& sequence) const override;

 private:
  [[nodiscard]] std::vector<double> mixture(std::span<const double> of_topics) const;

  Matrix<double> topics_;  ///< [topics, symbols]
};

}  // namespace summand::train
