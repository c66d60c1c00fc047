#pragma once

#include <cstddef>

namespace summand::engine {

/// Vectors that are compared with others at a time, in every set of kernels.
inline constexpr size_t kDotLanes = 16;

/// Up to 16 rows, side by side and in double precision, and their squared lengths.
struct PackVectorsTask {
  const float* rows = nullptr;  ///< [row_count, depth], `stride` apart
  size_t stride = 0;
  size_t row_count = 0;  ///< at most 16
  size_t depth = 0;
  double* panel = nullptr;    ///< [depth, 16], zero beyond the last row
  double* squares = nullptr;  ///< [16], sums over the depth in order
};

/// sums[q][lane] = Σ term(queries[q][d], panel[d][lane]), the term as each kernel has it.
struct DotTask {
  const double* panel = nullptr;    ///< [depth, 16], of floats
  const double* queries = nullptr;  ///< [query_count, depth], of floats
  size_t query_count = 0;
  size_t depth = 0;
  double* sums = nullptr;  ///< [query_count, 16]
};

/// Dot products and distances of sentence vectors. Every sum is one chain over the depth in order. A product of two
/// floats is exact in double precision, so that it may be fused with the sum or not; the square of a difference always
/// is fused. In every set the result has the same bits, whatever else is computed. The generic table is plain C++ and
/// the oracle of the others.
struct DotKernels {
  void (*pack)(const PackVectorsTask&) = nullptr;
  void (*dot)(const DotTask&) = nullptr;                 ///< a · b
  void (*squared_distances)(const DotTask&) = nullptr;   ///< (a - b)²
  void (*absolute_distances)(const DotTask&) = nullptr;  ///< |a - b|
};

namespace generic {
extern const DotKernels kDotKernels;
}

}  // namespace summand::engine
