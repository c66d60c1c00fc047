#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

// Times. They differ from run to run and from machine to machine: they may stand in figures and remarks, and never in a
// number or a verdict, for results.json is the same to the last digit for the same seed.
namespace summand::lab {

/// One thing that was timed, over a size that grows.
struct TimedCurve {
  LocalizedText words;
  std::vector<double> sizes;
  std::vector<std::vector<double>> seconds;  ///< [sizes][repetitions]
  std::string name = {};                     ///< of its draws

  [[nodiscard]] std::vector<double> medians() const;
};

/// The exponent of a curve: least squares of log seconds on log size, over the medians of the repetitions. The interval
/// is a bootstrap over the repetitions.
/// @pre two sizes, and kLeastResampled repetitions of each
[[nodiscard]] Estimate exponent_of(const TimedCurve& curve, uint64_t seed, const std::string& name);

/// How much is timed.
struct Timing {
  size_t rounds = 9;
  size_t longest = 512;  ///< tokens, where the model takes as many
};
inline constexpr Timing kFullTiming{};
inline constexpr Timing kQuickTiming{.rounds = kLeastResampled, .longest = 256};

/// What is timed: every repetition takes all sizes in turn, so that a slower minute slows all alike.
struct AttentionTimes {
  std::vector<TimedCurve> by_length;  ///< the whole model; attention's products; its softmax
  std::vector<TimedCurve> by_heads;   ///< products and softmax, at one length
  size_t heads_length = 0;
};

/// Whole texts through the engine, and one attention layer's products and softmax by Eigen, on one thread.
/// @pre there is a model
[[nodiscard]] AttentionTimes time_attention(const Subject& subject, const Conditions& conditions);

}  // namespace summand::lab
