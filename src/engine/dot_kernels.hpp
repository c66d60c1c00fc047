#pragma once

#include <cstddef>

#include "engine/instruction_set.hpp"

namespace summand::engine {

/// Vectors that are compared with others at a time, on every instruction set.
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

/// dots[q][lane] = Σ queries[q][d] · panel[d][lane].
struct DotTask {
  const double* panel = nullptr;    ///< [depth, 16], of floats
  const double* queries = nullptr;  ///< [query_count, depth], of floats
  size_t query_count = 0;
  size_t depth = 0;
  double* dots = nullptr;  ///< [query_count, 16]
};

/// Dot products of sentence vectors. A product of two floats is exact in double precision, and every sum is one chain
/// over the depth in order: fused or not, alone or beside others, on every instruction set the result has the same
/// bits. The generic table is plain C++ and the oracle of the others.
struct DotKernels {
  void (*pack)(const PackVectorsTask&) = nullptr;
  void (*dot)(const DotTask&) = nullptr;
};

/// @param instruction_set  one of available_instruction_sets()
[[nodiscard]] const DotKernels& dot_kernels(InstructionSet instruction_set);

namespace generic {
extern const DotKernels kDotKernels;
}
namespace avx2 {
extern const DotKernels kDotKernels;
}
namespace avx512 {
extern const DotKernels kDotKernels;
}

}  // namespace summand::engine
