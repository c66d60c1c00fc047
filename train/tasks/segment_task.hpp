#pragma once

#include <array>
#include <ranges>

#include "train/tasks/hidden_markov.hpp"
#include "train/tasks/task.hpp"

namespace summand::train {

/// Where the second segment may begin.
struct Boundaries {
  size_t first = 0, last = 0;
  /// A quarter to three quarters of the length.
  [[nodiscard]] static Boundaries of(size_t length) { return {(length + 3) / 4, length * 3 / 4}; }
  [[nodiscard]] size_t draw(RandomStream& random) const { return first + random.below(last - first + 1); }
  [[nodiscard]] auto all() const { return std::views::iota(first, last + 1); }
};

/// Two hidden Markov models, one per segment. Source: docs/study-tasks.md, "segment"
class SegmentTask : public Task {
 public:
  static constexpr std::string_view kName = "segment";
  SegmentTask(const TaskSizes& sizes, uint64_t seed);

  [[nodiscard]] Matrix<double> posterior(const TaskSequence& sequence) const override;
  [[nodiscard]] HiddenPosteriors hidden_posteriors(const TaskSequence& sequence) const override;
  [[nodiscard]] std::vector<double> context_free() const override;
  [[nodiscard]] nlohmann::ordered_json tables() const override;

 protected:
  void fill(DataPart part, RandomStream& random, TaskSequence& sequence) const override;

 private:
  /// The second model begins at the boundary, from its initial probabilities whatever was before.
  [[nodiscard]] HiddenMarkov with_boundary(size_t boundary) const;

  Boundaries boundaries_;
  Matrix<double> initial_;                     ///< [2, states]
  std::array<Matrix<double>, 2> transitions_;  ///< [states, states]
  std::array<Matrix<double>, 2> emissions_;    ///< [states, symbols]
  Matrix<double> restart_;                     ///< [states, states], rows are the second model's initial probabilities
};

}  // namespace summand::train
