#pragma once

#include <vector>

#include "train/tasks/hidden_markov.hpp"
#include "train/tasks/segment_task.hpp"
#include "train/tasks/task.hpp"

namespace summand::train {

/// Topic, order, position, segment and agreement in one hidden Markov model. Source: docs/study-tasks.md, "combined"
class CombinedTask : public Task {
 public:
  static constexpr std::string_view kName = "combined";
  CombinedTask(const TaskSizes& sizes, uint64_t seed);

  [[nodiscard]] Matrix<double> posterior(const TaskSequence& sequence) const override;
  [[nodiscard]] HiddenPosteriors hidden_posteriors(const TaskSequence& sequence) const override;
  [[nodiscard]] std::vector<double> context_free() const override;
  [[nodiscard]] nlohmann::ordered_json tables() const override;

 protected:
  void fill(DataPart part, RandomStream& random, TaskSequence& sequence) const override;

 private:
  /// What a reader's model lacks.
  enum class Hidden { nothing, topic, mark, position, segment };
  /// How the three parts of a state move into a position, each row by row.
  struct Move {
    Matrix<double> topic, slot, mark;
  };
  /// Transitions into each position, [length] of [states, states].
  using Reader = std::vector<const Matrix<double>*>;

  [[nodiscard]] size_t states() const { return sizes().combined_topics * sizes().combined_slots * 2; }
  /// @param anchor  of the position, or −1
  [[nodiscard]] Matrix<double> slot_move(bool second_segment, int anchor) const;
  [[nodiscard]] Move move_into(size_t position, size_t boundary) const;
  [[nodiscard]] Matrix<double> transition(size_t position, bool second_segment, Hidden hidden) const;
  [[nodiscard]] const Matrix<double>& kept_transition(size_t position, size_t boundary, Hidden hidden) const;
  /// Of the reader who lacks `neighbours`; they depend on the whole boundary.
  [[nodiscard]] std::vector<Matrix<double>> moves_without_neighbours(size_t boundary) const;
  [[nodiscard]] Reader reader(size_t boundary, Hidden hidden = Hidden::nothing) const;
  [[nodiscard]] Smoothed read(const Reader& reader, std::span<const int32_t> seen, std::span<const size_t> asked) const;

  Boundaries boundaries_;
  std::vector<int> anchors_;                 ///< [length], −1 where a position has none
  std::vector<double> uniform_;              ///< [states]
  std::vector<Matrix<double>> transitions_;  ///< [hidden, segment, length] of [states, states]
  Matrix<double> emissions_;                 ///< [states, symbols]; a state is (topic · slots + slot) · 2 + mark
};

}  // namespace summand::train
