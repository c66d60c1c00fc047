#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "lab/core/localized_text.hpp"
#include "lab/statistics/antisymmetric_network.hpp"
#include "lab/statistics/pairs.hpp"
#include "lab/statistics/scores.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

// Distances b − a from the rows of a and b, by several methods and splits, as document 002 asks for them.

namespace distance {

inline constexpr double kTestShare = 0.4;  // document 002: 0.6 to 0.4
inline constexpr int kTrees = 100;
inline constexpr int kLeaf = 15;
inline constexpr int kEpochs = 20;  // of the network

}  // namespace distance

enum class PairMethod {
  linear,            ///< least squares, on all pairs
  ridge,             ///< with a hundredth of the columns' mean sum of squares as penalty, on all pairs
  trees,             ///< 100 boosted trees, leaves of 15 and more
  network,           ///< antisymmetric, targets normalised
  unscaled_network,  ///< the same network, targets in positions
};

[[nodiscard]] std::string name_of(PairMethod method);
[[nodiscard]] LocalizedText words_of(PairMethod method);
[[nodiscard]] std::string name_of(HeldOut held_out);
[[nodiscard]] LocalizedText words_of(HeldOut held_out);

/// How much a method may see.
struct PairLimits {
  size_t tree_pairs = 20'000;  ///< in training, and in the test
  int tree_bins = 256;         ///< of a column: see BoostingSettings
  size_t network_pairs = 10'000;
};

/// A method on one table and split. Splits of one seed are the same for every table of as many rows.
struct PairFit {
  PairMethod method = PairMethod::linear;
  HeldOut held_out = HeldOut::pairs;
  PairLimits limits = {};
  uint64_t seed = 0;
  std::string name = "distance";  ///< of the split's stream
};

/// Fits on the training pairs, scores the test pairs. Single-threaded.
[[nodiscard]] Scores score_pairs(const Table& inputs, const PairFit& fit);

/// The same by way of absolute positions alone: trees read a from p_a and b from p_b, fitted on the rows of the
/// training pairs, and the answers are subtracted.
[[nodiscard]] Scores score_absolute_twice(const Table& inputs, const PairFit& fit);

}  // namespace summand::lab
