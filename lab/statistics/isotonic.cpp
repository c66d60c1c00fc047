#include "lab/statistics/isotonic.hpp"

#include <vector>

#include "lab/statistics/require.hpp"

namespace summand::lab {

namespace {

/// Neighbours that share one value.
struct Block {
  double value;
  double weight;
  Eigen::Index length;
};

Vector rising(const Vector& values, const Vector& weights) {
  std::vector<Block> blocks;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    Block last{.value = values(i), .weight = weights(i), .length = 1};
    while (!blocks.empty() && blocks.back().value >= last.value) {
      const Block& before = blocks.back();
      const double weight = before.weight + last.weight;
      last = {.value = (before.weight * before.value + last.weight * last.value) / weight,
              .weight = weight,
              .length = before.length + last.length};
      blocks.pop_back();
    }
    blocks.push_back(last);
  }
  Vector fitted(values.size());
  Eigen::Index at = 0;
  for (const Block& block : blocks) {
    fitted.segment(at, block.length).setConstant(block.value);
    at += block.length;
  }
  return fitted;
}

}  // namespace

Vector isotonic(const Vector& values, const Vector& weights, Order order) {
  require(values.size() == weights.size(), "isotonic regression", "expected one weight a value");
  if (order == Order::rising) return rising(values, weights);
  return -rising(-values, weights);
}

}  // namespace summand::lab
