#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace summand::train {

/// Where a run is in its rows.
struct RowPlace {
  uint64_t epoch = 0;
  size_t row = 0;  ///< in the epoch's order
};

/// Rows in the order of training: each epoch is a shuffle that depends on the seed and the epoch alone.
class RowOrder {
 public:
  /// @param rows  at least 1
  RowOrder(size_t rows, uint64_t seed);

  /// The next rows of the epoch: `most`, or those that are left of it.
  [[nodiscard]] std::vector<size_t> next(size_t most);

  [[nodiscard]] RowPlace place() const { return place_; }
  /// @param place  with a row of the order
  void go_to(const RowPlace& place);

 private:
  void shuffle();

  uint64_t seed_;
  RowPlace place_;
  std::vector<size_t> order_;
};

/// Cuts rows into micro-batches of at most so many tokens, or one row; rows of like length together.
/// @param length  tokens of a row
[[nodiscard]] std::vector<std::vector<size_t>> micro_batches(std::span<const size_t> rows, size_t most_tokens,
                                                             const std::function<size_t(size_t)>& length);

}  // namespace summand::train
