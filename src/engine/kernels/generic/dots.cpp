#include <algorithm>

#include "engine/kernels/dots.hpp"

namespace summand::engine::generic {

namespace {

void pack(const PackVectorsTask& task) {
  std::fill_n(task.panel, task.depth * kDotLanes, 0.0);
  std::fill_n(task.squares, kDotLanes, 0.0);
  for (size_t row = 0; row < task.row_count; ++row) {
    for (size_t d = 0; d < task.depth; ++d) {
      const double value = task.rows[row * task.stride + d];
      task.panel[d * kDotLanes + row] = value;
      task.squares[row] += value * value;
    }
  }
}

void dot(const DotTask& task) {
  for (size_t query = 0; query < task.query_count; ++query) {
    double sums[kDotLanes] = {};
    for (size_t d = 0; d < task.depth; ++d) {
      const double factor = task.queries[query * task.depth + d];
      for (size_t lane = 0; lane < kDotLanes; ++lane) sums[lane] += factor * task.panel[d * kDotLanes + lane];
    }
    std::copy_n(sums, kDotLanes, task.dots + query * kDotLanes);
  }
}

}  // namespace

const DotKernels kDotKernels{pack, dot};

}  // namespace summand::engine::generic
