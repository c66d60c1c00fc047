#pragma once

#include <cstddef>

#include "engine/kernels/dots.hpp"

namespace summand::engine::simd {

/// As many rows as a vector has floats, transposed so that each row is in one lane.
/// @tparam F  a vector of floats
/// @tparam D  a vector of half as many doubles
template <class F, class D>
void pack_lanes(const PackVectorsTask& task, size_t first_lane) {
  D first_squares = D::zero();
  D second_squares = D::zero();
  for (size_t begin = 0; begin < task.depth; begin += F::kWidth) {
    const size_t count = task.depth - begin < F::kWidth ? task.depth - begin : F::kWidth;
    F block[F::kWidth];
    for (size_t i = 0; i < F::kWidth; ++i) {
      const size_t row = first_lane + i;
      const float* const from = task.rows + row * task.stride + begin;
      __builtin_prefetch(from + kDotLanes * task.stride);  // of the rows that are packed next
      block[i] = row >= task.row_count ? F::zero() : count == F::kWidth ? F::load(from) : F::load_first(from, count);
    }
    F::transpose(block);
    double* const to = task.panel + begin * kDotLanes + first_lane;
    for (size_t i = 0; i < count; ++i) {
      const D first = D::first_half(block[i]);
      const D second = D::second_half(block[i]);
      first_squares = fused(first, first, first_squares);
      second_squares = fused(second, second, second_squares);
      first.store(to + i * kDotLanes);
      second.store(to + i * kDotLanes + D::kWidth);
    }
  }
  first_squares.store(task.squares + first_lane);
  second_squares.store(task.squares + first_lane + D::kWidth);
}

template <class F, class D>
void pack_vectors(const PackVectorsTask& task) {
  for (size_t lane = 0; lane < kDotLanes; lane += F::kWidth) pack_lanes<F, D>(task, lane);
}

// The terms of DotKernels, each added to a sum.
struct Product {
  template <class D>
  static D add(D a, D b, D sum) {
    return fused(a, b, sum);
  }
};
struct SquaredDifference {
  template <class D>
  static D add(D a, D b, D sum) {
    const D difference = minus(a, b);
    return fused(difference, difference, sum);
  }
};
struct AbsoluteDifference {
  template <class D>
  static D add(D a, D b, D sum) {
    return plus(sum, absolute(minus(a, b)));
  }
};

/// `queries` of them at a time, each lane of each a sum in a register of its own.
template <class Term, class D, size_t queries>
void sum_some(const DotTask& task, size_t first_query) {
  constexpr size_t kVectors = kDotLanes / D::kWidth;
  const double* const from = task.queries + first_query * task.depth;
  D sums[queries][kVectors];
#pragma GCC unroll 8
  for (size_t query = 0; query < queries; ++query) {
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) sums[query][v] = D::zero();
  }
  for (size_t d = 0; d < task.depth; ++d) {
    D values[kVectors];
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) values[v] = D::load(task.panel + d * kDotLanes + v * D::kWidth);
#pragma GCC unroll 8
    for (size_t query = 0; query < queries; ++query) {
      const D factor = D::all(from[query * task.depth + d]);
#pragma GCC unroll 4
      for (size_t v = 0; v < kVectors; ++v) sums[query][v] = Term::add(factor, values[v], sums[query][v]);
    }
  }
#pragma GCC unroll 8
  for (size_t query = 0; query < queries; ++query) {
    double* const to = task.sums + (first_query + query) * kDotLanes;
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) sums[query][v].store(to + v * D::kWidth);
  }
}

/// @tparam most  queries at a time, a power of two, as the registers allow
template <class Term, class D, size_t most>
void sum_up(const DotTask& task) {
  size_t query = 0;
  for (; query + most <= task.query_count; query += most) sum_some<Term, D, most>(task, query);
  if constexpr (most > 4) {
    for (; query + 4 <= task.query_count; query += 4) sum_some<Term, D, 4>(task, query);
  }
  for (; query + 2 <= task.query_count; query += 2) sum_some<Term, D, 2>(task, query);
  for (; query < task.query_count; ++query) sum_some<Term, D, 1>(task, query);
}

/// @tparam F, D  as of pack_lanes
/// @tparam most  as of sum_up
template <class F, class D, size_t most>
constexpr DotKernels dot_kernels() {
  return {pack_vectors<F, D>, sum_up<Product, D, most>, sum_up<SquaredDifference, D, most>,
          sum_up<AbsoluteDifference, D, most>};
}

}  // namespace summand::engine::simd
