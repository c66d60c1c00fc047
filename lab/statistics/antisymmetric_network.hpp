#pragma once

#include <functional>
#include <span>

#include "base/random_stream.hpp"
#include "lab/statistics/pairs.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// What the network's answers are counted in.
enum class TargetUnit {
  root_mean_square,  ///< of the targets in training: they are then of the size that a network starts with
  position,          ///< the targets as they are
};

struct NetworkSettings {
  size_t hidden = 64;
  int epochs = 40;  ///< times that every pair is seen
  size_t batch = 128;
  double learning_rate = 3e-3;  ///< falls to 0 along half a cosine
  TargetUnit unit = TargetUnit::root_mean_square;
  std::function<void(double)> progress = [](double) {};  ///< from 0 to 1; throws to stop
};

/// b − a from p_a and p_b as h(p_a, p_b) − h(p_b, p_a): whatever h is, swapping the two changes the sign and nothing
/// else. h is one hidden layer of tanh, its inputs standardised by column.
struct AntisymmetricNetwork {
  Vector input_mean;    ///< [columns], of the rows that occurred in training
  Vector input_scale;   ///< [columns], one over their deviation; 0 for a constant column
  double unit = 1;      ///< of the answer, in positions
  Table first;          ///< [2 · columns, hidden]
  Vector first_offset;  ///< [hidden]
  Vector second;        ///< [hidden]

  /// @return [pairs]
  [[nodiscard]] Vector predict(const Table& table, std::span<const Pair> pairs) const;
};

/// By Adam on squared error, single-threaded; start and order of the pairs come from the stream.
/// @throws UsageError if there is no pair, all targets are 0, or a position is not in the table
/// Source: Kingma & Ba 2015; start Glorot & Bengio 2010
[[nodiscard]] AntisymmetricNetwork fit_antisymmetric_network(const Table& table, std::span<const Pair> pairs,
                                                             const NetworkSettings& settings, RandomStream& stream);

}  // namespace summand::lab
