#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/range.hpp"
#include "engine/layers/sentence_dense.hpp"
#include "model/sentence_modules.hpp"

namespace summand::engine {

/// The steps after pooling, made once from sentence-transformers' modules. A vector's result
/// has the same bits whatever else is computed.
///
/// Thread-safety: apply() may be called from several threads at once.
class SentenceSteps {
 public:
  SentenceSteps() = default;
  /// Copies the weights.
  explicit SentenceSteps(std::span<const model::SentenceStep> steps);

  [[nodiscard]] size_t size() const { return steps_.size(); }

  /// The width of a vector after a step, or nothing if the step does not take vectors of that width.
  [[nodiscard]] std::optional<size_t> width_after(size_t step, size_t width) const;
  /// The width that a step requires; nothing if it takes any.
  [[nodiscard]] std::optional<size_t> width_taken(size_t step) const;

  /// @param steps  the steps to apply
  [[nodiscard]] std::vector<float> apply(Range steps, std::vector<float> vector) const;

 private:
  struct Norm {
    std::vector<float> weight;
    std::vector<float> bias;
  };
  using Step = std::variant<SentenceDense, Norm, model::Normalize>;

  std::vector<Step> steps_;
};

}  // namespace summand::engine
