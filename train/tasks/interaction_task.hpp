#pragma once

#include <vector>

#include "train/tasks/task.hpp"

namespace summand::train {

/// Labels that are a sum, modulo 4, of what token, position and segment say: Source: docs/study-tasks.md, "interaction"
class InteractionTask : public Task {
 public:
  static constexpr std::string_view kName = "interaction";
  InteractionTask(const TaskSizes& sizes, uint64_t seed);

  [[nodiscard]] bool masks() const override { return false; }
  [[nodiscard]] size_t answers() const override;
  [[nodiscard]] Matrix<double> posterior(const TaskSequence& sequence) const override;
  [[nodiscard]] std::vector<double> context_free() const override;
  [[nodiscard]] nlohmann::ordered_json tables() const override;

  /// Whether the symbol never stands at the position in training.
  [[nodiscard]] bool is_held_out(int32_t symbol, size_t position) const {
    return held_out_[position][static_cast<size_t>(symbol)];
  }

 protected:
  void fill(DataPart part, RandomStream& random, TaskSequence& sequence) const override;

 private:
  [[nodiscard]] size_t right_answer(const TaskSequence& sequence, size_t position) const;

  std::vector<size_t> of_symbol_, of_position_, of_segment_;
  std::vector<std::vector<bool>> held_out_;    ///< [length, symbols]
  std::vector<std::vector<int32_t>> allowed_;  ///< [length], symbols that may stand there in training
};

}  // namespace summand::train
