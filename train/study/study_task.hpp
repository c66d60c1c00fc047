#pragma once

#include <cstdint>

#include "train/run/learning_task.hpp"
#include "train/study/study_evaluation.hpp"

namespace summand::train {

/// A task of the study, learned from sequences that are all drawn once. The same for every arm of a seed.
class StudyTask : public LearningTask {
 public:
  /// @param task, evaluation  outlive this object
  /// @param batch_sequences  of each step
  /// @param masked  symbols of a training sequence, if not as many as the task masks
  StudyTask(const Task& task, const StudyEvaluation& evaluation, const Reading& reading, size_t batch_sequences,
            std::optional<size_t> masked = {});

  StepWork accumulate_gradients(const Network& network, int64_t step, const Share& share) override;
  [[nodiscard]] Validation validate(const Network& network) const override;
  [[nodiscard]] nlohmann::ordered_json numbers(const Sums& sums) const override;
  [[nodiscard]] uint64_t epoch() const override { return 0; }
  [[nodiscard]] nlohmann::ordered_json state() const override;
  void restore(const nlohmann::json&) override {}

 private:
  const Task& task_;
  const StudyEvaluation& evaluation_;
  Reading reading_;
  size_t batch_sequences_;
  std::optional<size_t> masked_;
};

}  // namespace summand::train
