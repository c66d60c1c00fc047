#pragma once

#include <cstddef>

#include "engine/kernels/low_precision.hpp"
#include "engine/kernels/simd/destination.hpp"

namespace summand::engine::simd {

/// Products of fp16 by fused multiply-adds of halves, twice as many in a register as floats. A half keeps eleven bits,
/// so a chain of them is short: after kChain steps it joins a total in floats and begins anew. Of a step's pair each
/// number has a chain of its own; both meet at the end.
///
/// Its error, 2⁻¹² a rounding, stays below that of bf16's operands, 2⁻⁹: a test compares them.
/// @tparam H  a vector of halves, two for each lane of V
/// @tparam V  a vector of floats
template <class H, class V, class Format>
struct HalfChains {
  using Task = HalfProductTask;
  static constexpr size_t kPerStep = 2;
  static constexpr size_t kChain = 32;

  struct Total {
    H chain;
    V lower;  ///< columns of the first half, both numbers of each
    V upper;
  };

  static size_t steps(const Task& task) { return task.depth / kPerStep; }
  static H weights(const Half* from) { return H::load(from); }
  static H same(const Half* from) { return H::all_pairs(from); }
  static Total start(const Task&, size_t) { return {H::zero(), V::zero(), V::zero()}; }
  static Total add(Total total, H value, H weight) {
    total.chain = fused(value, weight, total.chain);
    return total;
  }
  static Total settle(Total total) {
    return {H::zero(), total.lower + lower_floats<V>(total.chain), total.upper + upper_floats<V>(total.chain)};
  }
  static V finish(const Task& task, size_t row, size_t column, const Total& total) {
    V sums = sums_of_pairs(total.lower, total.upper);
    if (task.row_factors != nullptr) sums = sums * V::all(task.row_factors[row]);
    return task.bias == nullptr ? sums : sums + V::load(task.bias + column);
  }
  static void store(const Task& task, size_t row, size_t column, size_t left, V values) {
    store_to<Format>(task.out, row, column, left, values);
  }
};

}  // namespace summand::engine::simd
