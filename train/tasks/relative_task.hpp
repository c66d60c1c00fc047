#pragma once

#include "train/tasks/task.hpp"

namespace summand::train {

/// Each symbol is mostly the one a fixed distance before it: only distances matter.
/// Source: docs/study-tasks.md, "relative"
class RelativeTask : public Task {
 public:
  static constexpr std::string_view kName = "relative";
  RelativeTask(const TaskSizes& sizes, uint64_t seed) : Task(kName, sizes, seed) {}

  [[nodiscard]] Matrix<double> posterior(const TaskSequence& sequence) const override;
  [[nodiscard]] std::vector<double> context_free() const override;
  [[nodiscard]] nlohmann::ordered_json tables() const override;

 protected:
  void fill(DataPart part, RandomStream& random, TaskSequence& sequence) const override;
};

}  // namespace summand::train
