#include "lab/statistics/folds.hpp"

#include <fmt/format.h>

#include <numeric>
#include <span>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

/// @param fold_of  [items], in which fold an item is tested
std::vector<Fold> folds_by(const std::vector<size_t>& fold_of, size_t count) {
  std::vector<Fold> folds(count);
  for (size_t item = 0; item < fold_of.size(); ++item) {
    for (size_t fold = 0; fold < count; ++fold) {
      (fold_of[item] == fold ? folds[fold].test : folds[fold].train).push_back(item);
    }
  }
  return folds;
}

std::vector<size_t> fold_of_blocks(size_t items, size_t count) {
  require(count >= 2 && count <= items, "folds", fmt::format("expected 2 to {} folds, got {}", items, count));
  std::vector<size_t> fold_of(items);
  for (size_t item = 0; item < items; ++item) fold_of[item] = item * count / items;
  return fold_of;
}

}  // namespace

std::vector<Fold> random_folds(size_t items, size_t count, RandomStream& stream) {
  auto fold_of = fold_of_blocks(items, count);
  stream.shuffle(std::span(fold_of));
  return folds_by(fold_of, count);
}

std::vector<Fold> block_folds(size_t items, size_t count) {
  return folds_by(fold_of_blocks(items, count), count);
}

}  // namespace summand::lab
