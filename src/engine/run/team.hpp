#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace summand::engine {

/// A sequence of steps that several threads execute together. Every thread goes through all steps in order, takes tasks
/// that are left, and continues when all tasks of the step have ended. A late thread finds the early steps done; no
/// thread waits for one that has not arrived, so any number may take part.
///
/// The list grows as needed: the first thread to advance allocates the next block, which is freed after all have ended.
class SharedSteps {
  struct alignas(64) Step {
    std::atomic<size_t> next{0};
    std::atomic<size_t> done{0};
  };

  /// A block of steps, linked to the next block once it is needed.
  struct StepBlock {
    std::array<Step, 64> steps;
    std::atomic<StepBlock*> after{nullptr};
  };

 public:
  SharedSteps() = default;
  SharedSteps(const SharedSteps&) = delete;
  SharedSteps& operator=(const SharedSteps&) = delete;
  ~SharedSteps() {
    for (const StepBlock* block = first_.after.load(); block != nullptr;) {
      const std::unique_ptr<const StepBlock> ended(block);
      block = ended->after.load();
    }
  }

  /// A thread's position in the steps.
  class Cursor {
   public:
    explicit Cursor(SharedSteps& steps) : block_(&steps.first_) {}

   private:
    friend SharedSteps;

    [[nodiscard]] Step& next() {
      if (place_ == block_->steps.size()) {
        block_ = &after(*block_);
        place_ = 0;
      }
      return block_->steps[place_++];
    }

    StepBlock* block_;
    size_t place_ = 0;
  };

  /// Executes the thread's share of its next step.
  /// @return number of tasks that this thread ran
  template <class Task>
  size_t run(Cursor& cursor, size_t tasks, const Task& task) {
    Step& step = cursor.next();
    size_t taken = 0;
    for (size_t next = take(step); next < tasks; next = take(step), ++taken) {
      guarded(task, next);
      step.done.fetch_add(1, std::memory_order_release);
    }
    for (int spins = 0; step.done.load(std::memory_order_acquire) < tasks; ++spins) wait_a_little(spins);
    return taken;
  }

  /// Rethrows the first exception of a task; later tasks were skipped.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// The next block of steps; the first caller creates it.
  [[nodiscard]] static StepBlock& after(StepBlock& block) {
    StepBlock* after = block.after.load(std::memory_order_acquire);
    if (after != nullptr) return *after;
    auto made = std::make_unique<StepBlock>();
    if (block.after.compare_exchange_strong(after, made.get(), std::memory_order_acq_rel)) return *made.release();
    return *after;
  }

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

  /// A step takes microseconds: spin at first, then yield.
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

  StepBlock first_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// One thread in the computation of groups, alone or sharing each step with others. The computation is written once, as
/// steps of independent tasks.
class Worker {
 public:
  Worker() = default;
  explicit Worker(SharedSteps& shared) : shared_({&shared, SharedSteps::Cursor(shared)}) {}

  template <class Task>
  void step(size_t tasks, const Task& task) {
    if (shared_) {
      tasks_run_ += shared_->steps->run(shared_->cursor, tasks, task);
      return;
    }
    for (size_t index = 0; index < tasks; ++index) task(index);
    tasks_run_ += tasks;
  }

  [[nodiscard]] size_t tasks_run() const { return tasks_run_; }

 private:
  struct Shared {
    SharedSteps* steps;
    SharedSteps::Cursor cursor;
  };

  std::optional<Shared> shared_;
  size_t tasks_run_ = 0;
};

}  // namespace summand::engine
