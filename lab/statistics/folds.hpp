#pragma once

#include <cstddef>
#include <vector>

#include "base/random_stream.hpp"

namespace summand::lab {

/// Items for training and for the test.
struct Fold {
  std::vector<size_t> train;
  std::vector<size_t> test;
};

/// Cross-validation: every item is tested in one fold, drawn at random; folds differ in size by one at most. Both lists
/// are sorted.
/// @param count  2 … items
/// @throws UsageError for any other count
[[nodiscard]] std::vector<Fold> random_folds(size_t items, size_t count, RandomStream& stream);

/// The same with runs of neighbouring items as tests: what is held out has no neighbour in training but at its ends.
[[nodiscard]] std::vector<Fold> block_folds(size_t items, size_t count);

}  // namespace summand::lab
