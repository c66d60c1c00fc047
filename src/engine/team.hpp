#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/assert.hpp"

namespace summand::engine {

/// The steps that several threads carry out together, one after the other. Every thread walks through all steps in the
/// same order, takes what tasks are left of each, and goes on when all tasks of the step have ended. Whoever comes late
/// finds the early steps done; nobody waits for a thread that has not come, so it does not matter how many do.
class SharedSteps {
 public:
  explicit SharedSteps(size_t steps) : steps_(steps) {}

  /// Takes part in step `index`.
  /// @return how many tasks this thread ran
  template <class Task>
  size_t run(size_t index, size_t tasks, const Task& task) {
    SUMMAND_ASSERT(index < steps_.size());
    Step& step = steps_[index];
    size_t taken = 0;
    for (size_t next = take(step); next < tasks; next = take(step), ++taken) {
      guarded(task, next);
      step.done.fetch_add(1, std::memory_order_release);
    }
    for (int spins = 0; step.done.load(std::memory_order_acquire) < tasks; ++spins) wait_a_little(spins);
    return taken;
  }

  /// Rethrows the first exception of a task; the tasks after it were left out.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct alignas(64) Step {
    std::atomic<size_t> next{0};
    std::atomic<size_t> done{0};
  };

  static size_t take(Step& step) { return step.next.fetch_add(1, std::memory_order_relaxed); }

  template <class Task>
  void guarded(const Task& task, size_t index) {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      task(index);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }

  /// A step takes microseconds, so the wait spins at first, but leaves the processor to others before long.
  static void wait_a_little(int spins) {
    constexpr int kSpins = 4000;
    if (spins > kSpins) {
      std::this_thread::yield();
    } else {
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
  }

  std::vector<Step> steps_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// One thread's place in the computation of a group: alone, or among those that share it. The computation is written
/// once, as steps of independent tasks.
class Member {
 public:
  Member() = default;
  /// @param first_step  where the group's steps begin in `shared`
  Member(SharedSteps& shared, size_t first_step) : shared_(&shared), next_step_(first_step) {}

  template <class Task>
  void step(size_t tasks, const Task& task) {
    if (shared_ != nullptr) {
      tasks_run_ += shared_->run(next_step_++, tasks, task);
      return;
    }
    for (size_t index = 0; index < tasks; ++index) task(index);
    tasks_run_ += tasks;
  }

  [[nodiscard]] size_t tasks_run() const { return tasks_run_; }

 private:
  SharedSteps* shared_ = nullptr;
  size_t next_step_ = 0;
  size_t tasks_run_ = 0;
};

}  // namespace summand::engine
