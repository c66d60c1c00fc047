#pragma once

#include <vector>

#include "lab/core/figure.hpp"
#include "lab/core/localized_text.hpp"
#include "model/config.hpp"

namespace summand::lab {

/// Operations for one token, a multiplication and an addition counted as two.
struct OutputCost {
  double vocabulary = 0;
  double width = 0;
  double encoder = 0;  ///< of all layers, each token attending to kCostLength others

  /// The head's own layer, 2d²; logits, 2Vd; and the softmax: an exponential, an addition and a division each.
  [[nodiscard]] double output(double words) const { return 2 * width * width + words * (2 * width + 3); }
  [[nodiscard]] double equal_vocabulary() const { return (encoder - 2 * width * width) / (2 * width + 3); }
};

inline constexpr double kCostLength = 128;  // tokens

[[nodiscard]] OutputCost output_cost(const model::Config& config);

/// One measure of nearness, of the checkpoint, of its null and of its control.
struct OutputRate {
  LocalizedText words;
  double own = 0;
  double null = 0;
  double control = 0;
};
using OutputRates = std::vector<OutputRate>;

/// How often the winner is the nearest row.
[[nodiscard]] Figure rates_figure(const OutputRates& rates);
/// Operations of the output by the size of the vocabulary.
[[nodiscard]] Figure cost_figure(const OutputCost& cost);

}  // namespace summand::lab
