#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace summand {

/// What an engine in single precision may differ from exact arithmetic by, at least: a few roundings of numbers around
/// one, summed over the layers.
inline constexpr double kVerifyTolerance = 2e-5;

/// How many times the error of the plain reference in single precision the engine's may be: both round, in another
/// order.
inline constexpr double kVerifyFactor = 4;

/// One hidden state, the pooled output or one head's logits, over all texts. What is not a number counts as infinitely
/// far away.
struct VerifiedState {
  std::string name;      ///< "hidden 3", "pooled", "masked language"
  double magnitude = 0;  ///< largest, by the reference in double precision
  double engine = 0;     ///< largest difference of the engine from the reference in double
  double reference = 0;  ///< largest difference of the reference in single precision from the one in double

  /// The difference that the engine may have.
  [[nodiscard]] double allowed() const;
  /// Whether the engine's difference is allowed.
  [[nodiscard]] bool agrees() const { return std::isfinite(engine) && engine <= allowed(); }
};

/// What Model::verify found.
struct VerifyReport {
  size_t texts = 0;                   ///< that were run
  size_t tokens = 0;                  ///< of these
  std::vector<VerifiedState> states;  ///< in the order in which they are computed

  /// Whether every state agrees.
  [[nodiscard]] bool agrees() const;
  /// One sentence: the largest difference, or the first state that does not agree.
  [[nodiscard]] std::string verdict() const;
};

}  // namespace summand
