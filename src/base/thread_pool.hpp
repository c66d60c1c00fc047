#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace summand {

/// The one thread pool of the process. Work that several engines or several calling threads hand in at the same time
/// shares its workers: the pool never holds more than the largest number asked for, less the caller, who works along.
///
/// Thread-safety: every member may be called from any thread at any time, but not from inside a task. The child of a
/// fork, which has none of the parent's threads but the one that forked, gets a pool of its own; only a task must not
/// fork and go on.
class ThreadPool {
 public:
  /// A task's number, and which of the job's participants runs it: 0 is the caller, below the job's thread count.
  using Task = std::function<void(size_t task, int participant)>;

  [[nodiscard]] static ThreadPool& shared();

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// Runs tasks 0 … count-1 on at most `threads` threads, the caller among them, each as soon as one is free, lower
  /// numbers first, and returns when all have ended. The first exception is rethrown here; tasks not yet begun are then
  /// left out.
  /// @return how many threads ran at least one task
  int run(size_t count, int threads, const Task& task);

  /// Threads that the pool holds besides its callers.
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
