#include "api/search/vector_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "base/thread_pool.hpp"
#include "engine/kernels/kernel_set.hpp"

namespace summand::api {

namespace {

using engine::kDotLanes;

/// Half of a usual second-level cache.
constexpr size_t kQueryBytes = size_t{512} * 1024;
constexpr size_t kMostQueries = 512;
/// Rows that a thread takes at a time, fewer where there would not be enough for all threads.
constexpr size_t kTaskRows = 1024;
constexpr size_t kTasksPerThread = 8;

constexpr size_t kNone = std::numeric_limits<size_t>::max();

/// What one thread works with.
struct Scratch {
  std::vector<double> panel;  // [width, 16]
  std::vector<double> squares = std::vector<double>(kDotLanes);
  std::vector<double> sums;  // [queries, 16]
  std::vector<float> floats;
};

size_t rows_per_task(size_t rows, int threads) {
  const size_t tasks = static_cast<size_t>(threads) * kTasksPerThread;
  const size_t least = (rows + tasks - 1) / tasks;
  return std::clamp((least + kDotLanes - 1) / kDotLanes * kDotLanes, kDotLanes, kTaskRows);
}

void lower_to(std::atomic<size_t>& value, size_t other) {
  for (size_t now = value; other < now && !value.compare_exchange_weak(now, other);) continue;
}

auto choose_kernel(const engine::DotKernels& kernels, Similarity measure) -> void (*)(const engine::DotTask&) {
  switch (measure) {
    case Similarity::cosine:
    case Similarity::dot:
      return kernels.dot;
    case Similarity::euclidean:
      return kernels.squared_distances;
    case Similarity::manhattan:
      return kernels.absolute_distances;
  }
  __builtin_unreachable();
}

/// Bits mean +1 and -1: all their vectors have the same norm.
void refuse_distances_to_bits(const StoredVectors& stored, Similarity measure) {
  const bool is_bits = stored.coding() == VectorCoding::binary || stored.coding() == VectorCoding::ubinary;
  if (!is_bits || !is_distance(measure)) return;
  throw UsageError(stored.name(),
                   "expected numbers for a distance, got bits, which keep no lengths: of these cosine "
                   "and dot can be had");
}

/// One call of for_each_dot_block.
class DotRun {
 public:
  DotRun(const QueryVectors& queries, const StoredVectors& stored, const DotPlan& plan,
         const std::function<void(const DotBlock&)>& take)
      : compare_(choose_kernel(kernels_, plan.measure)),
        queries_(queries),
        stored_(stored),
        plan_(plan),
        take_(take),
        scratch_(static_cast<size_t>(plan.threads)) {
    for (Scratch& scratch : scratch_) {
      scratch.panel.resize(stored.width() * kDotLanes);
      scratch.sums.resize(plan.queries * kDotLanes);
    }
  }

  void run() {
    const size_t step = rows_per_task(stored_.rows(), plan_.threads);
    const size_t tasks = (stored_.rows() + step - 1) / step;
    ThreadPool::shared().run(tasks, plan_.threads, [&](size_t task, int participant) {
      const size_t end = std::min((task + 1) * step, stored_.rows());
      for (size_t row = task * step; row < end; row += kDotLanes) {
        multiply(row, std::min(kDotLanes, end - row), participant);
      }
    });
    if (bad_row_ != kNone) stored_.refuse_row(bad_row_);
  }

 private:
  void multiply(size_t first_row, size_t rows, int participant) {
    Scratch& scratch = scratch_[static_cast<size_t>(participant)];
    const auto floats = stored_.floats(first_row, rows, scratch.floats);
    kernels_.pack({.rows = floats.data(),
                   .stride = floats.stride(),
                   .row_count = rows,
                   .depth = stored_.width(),
                   .panel = scratch.panel.data(),
                   .squares = scratch.squares.data()});
    // Squares of floats do not overflow in double: a non-finite sum has a non-finite number.
    const auto bad = std::ranges::find_if_not(scratch.squares, [](double x) { return std::isfinite(x); });
    if (bad != scratch.squares.end()) {
      return lower_to(bad_row_, first_row + static_cast<size_t>(bad - scratch.squares.begin()));
    }
    compare_({.panel = scratch.panel.data(),
              .queries = queries_.vectors().row(plan_.first_query).data(),
              .query_count = plan_.queries,
              .depth = stored_.width(),
              .sums = scratch.sums.data()});
    take_({.first_query = plan_.first_query,
           .queries = plan_.queries,
           .first_row = first_row,
           .rows = rows,
           .sums = scratch.sums.data(),
           .squares = scratch.squares.data(),
           .participant = participant});
  }

  const engine::DotKernels& kernels_ = *engine::chosen_kernel_set().dots;
  void (*compare_)(const engine::DotTask&);
  const QueryVectors& queries_;
  const StoredVectors& stored_;
  const DotPlan& plan_;
  const std::function<void(const DotBlock&)>& take_;
  std::vector<Scratch> scratch_;
  std::atomic<size_t> bad_row_ = kNone;
};

}  // namespace

QueryVectors::QueryVectors(const StoredVectors& vectors)
    : vectors_(vectors.rows(), vectors.width()), squares_(vectors.rows()) {
  for_each_block(vectors, [&](MatrixView<const float> block, size_t first) {
    for (size_t row = 0; row < block.rows(); ++row) {
      const auto to = vectors_.row(first + row);
      std::ranges::copy(block.row(row), to.begin());
      for (const double x : to) squares_[first + row] += x * x;
    }
  });
}

size_t queries_at_a_time(size_t width) {
  return std::clamp<size_t>(kQueryBytes / std::max<size_t>(width * sizeof(double), 1) / 8 * 8, 8, kMostQueries);
}

void for_each_dot_block(const QueryVectors& queries, const StoredVectors& stored, const DotPlan& plan,
                        const std::function<void(const DotBlock&)>& take) {
  if (queries.width() != stored.width()) {
    throw UsageError(stored.name(),
                     fmt::format("expected vectors of {} numbers, as those they are compared with, got {}",
                                 queries.width(), stored.width()));
  }
  refuse_distances_to_bits(stored, plan.measure);
  if (plan.queries > 0 && stored.rows() > 0) DotRun(queries, stored, plan, take).run();
}

double score(Similarity measure, double sum, double square, double other_square) {
  switch (measure) {
    case Similarity::cosine: {
      const double lengths = std::sqrt(square * other_square);
      return lengths > 0 ? sum / lengths : 0;
    }
    case Similarity::dot:
      return sum;
    case Similarity::euclidean:
      return 0 - std::sqrt(sum);
    case Similarity::manhattan:
      return 0 - sum;
  }
  __builtin_unreachable();
}

bool is_distance(Similarity measure) {
  return measure == Similarity::euclidean || measure == Similarity::manhattan;
}

void validate(Similarity measure) {
  switch (measure) {
    case Similarity::cosine:
    case Similarity::dot:
    case Similarity::euclidean:
    case Similarity::manhattan:
      return;
  }
  throw UsageError("Similarity", fmt::format("expected one of its named values, got {}", static_cast<int>(measure)));
}

int threads_for(int asked, size_t rows) {
  if (asked < 0) throw UsageError("threads", fmt::format("expected at least 0, got {}", asked));
  const int most = asked == 0 ? available_threads() : asked;
  return static_cast<int>(std::clamp<size_t>((rows + kDotLanes - 1) / kDotLanes, 1, static_cast<size_t>(most)));
}

}  // namespace summand::api
