#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace summand {

/// The process's only thread pool. Concurrent jobs, of several engines or callers, share its workers. It never holds
/// more workers than the largest request less one: the caller works too.
///
/// Thread-safety: members may be called from any thread at any time, but not from inside a task. The child of a fork
/// gets its own pool; only a task must not fork and continue.
class ThreadPool {
 public:
  /// Index of a task, and of the participant that runs it: 0 is the caller, others are below the job's thread count.
  using Task = std::function<void(size_t task, int participant)>;

  [[nodiscard]] static ThreadPool& shared();

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// Runs tasks 0 … count-1 in order of index on at most `threads` threads, the caller included, and returns when all
  /// have ended. Rethrows the first exception; tasks not yet begun are then skipped.
  /// @return number of threads that ran at least one task
  int run(size_t count, int threads, const Task& task);

  /// Number of threads of the pool, without callers.
  [[nodiscard]] int workers() const;

 private:
  struct Job;
  struct OfProcess;

  ThreadPool() = default;
  void hire(int workers);
  void work();

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Job*> jobs_;
  std::vector<std::thread> threads_;
  bool stopping_ = false;
  ThreadPool* of_parent_ = nullptr;  // left as it was when the process was forked
};

}  // namespace summand
