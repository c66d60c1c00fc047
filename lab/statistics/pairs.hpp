#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Two positions: what a regression is asked is b − a.
struct Pair {
  size_t a = 0;
  size_t b = 0;
};

/// What the test pairs keep from training.
enum class HeldOut {
  pairs,      ///< the pair only; both positions are seen in other pairs. Leaks: see fit_pair_regression
  positions,  ///< both positions, drawn at random: their neighbours are seen
  block,      ///< both positions, and their neighbours: the middle block
};

struct PairSettings {
  HeldOut held_out = HeldOut::pairs;
  double test_share = 0.4;  ///< of the pairs, or of the positions
  size_t at_most = 20'000;  ///< pairs in training, and in the test; drawn at random from those there are
};

struct PairSplit {
  std::vector<Pair> train;
  std::vector<Pair> test;
};

/// Ordered pairs (a, b) of positions 0 … positions − 1, a = b among them, in random order.
/// @throws UsageError if training or test would be left without two positions
[[nodiscard]] PairSplit split_pairs(size_t positions, const PairSettings& settings, RandomStream& stream);

/// The rows of a and b side by side. @return [pairs, 2 · columns] @throws UsageError if a position is not in the table
[[nodiscard]] Table pair_features(const Table& table, std::span<const Pair> pairs);

/// b − a. @return [pairs]
[[nodiscard]] Vector pair_distances(std::span<const Pair> pairs);

}  // namespace summand::lab
