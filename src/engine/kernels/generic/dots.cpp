#include <algorithm>
#include <cmath>

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

/// @param add  the sum so far with a term: (a, b, sum)
template <class Add>
void sum_up(const DotTask& task, const Add& add) {
  for (size_t query = 0; query < task.query_count; ++query) {
    double sums[kDotLanes] = {};
    for (size_t d = 0; d < task.depth; ++d) {
      const double a = task.queries[query * task.depth + d];
      for (size_t lane = 0; lane < kDotLanes; ++lane) {
        sums[lane] = add(a, task.panel[d * kDotLanes + lane], sums[lane]);
      }
    }
    std::copy_n(sums, kDotLanes, task.sums + query * kDotLanes);
  }
}

void dot(const DotTask& task) {
  sum_up(task, [](double a, double b, double sum) { return sum + a * b; });
}

void squared_distances(const DotTask& task) {
  sum_up(task, [](double a, double b, double sum) { return std::fma(a - b, a - b, sum); });
}

void absolute_distances(const DotTask& task) {
  sum_up(task, [](double a, double b, double sum) { return sum + std::abs(a - b); });
}

}  // namespace

const DotKernels kDotKernels{pack, dot, squared_distances, absolute_distances};

}  // namespace summand::engine::generic
