#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace summand {

/// Least tolerance for an engine in single precision: a few roundings of numbers around one, summed over the layers.
inline constexpr double kVerifyTolerance = 2e-5;

/// The engine's error may be this many times that of the reference in single precision: both round, in different order.
inline constexpr double kVerifyFactor = 4;

/// One hidden state, the pooled output or one head's logits, over all texts. NaN counts as an infinite difference.
struct VerifiedState {
  std::string name;      ///< "hidden 3", "pooled", "masked language"
  double magnitude = 0;  ///< largest absolute value, by the reference in double precision
  double engine = 0;     ///< largest difference between the engine and the reference in double
  double reference = 0;  ///< largest difference between the reference in single and in double precision

  /// The tolerance for the engine.
  [[nodiscard]] double allowed() const;
  /// Whether the engine's difference is within tolerance.
  [[nodiscard]] bool agrees() const { return std::isfinite(engine) && engine <= allowed(); }
};

/// Result of Model::verify.
struct VerifyReport {
  size_t texts = 0;                   ///< number of texts
  size_t tokens = 0;                  ///< in these texts
  std::vector<VerifiedState> states;  ///< in the order of computation

  /// Whether every state agrees.
  [[nodiscard]] bool agrees() const;
  /// One sentence: the largest difference, or the first state that does not agree.
  [[nodiscard]] std::string verdict() const;
};

}  // namespace summand
