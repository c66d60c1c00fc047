#include "base/thread_pool.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>

#include "base/assert.hpp"

namespace summand {

/// One call of run(). Lives on the caller's stack: it leaves `jobs_` before the caller returns, and the caller waits
/// until every worker that joined has left.
struct ThreadPool::Job {
  const Task* task = nullptr;
  size_t count = 0;
  int open_places = 0;       // guarded by the pool's mutex
  int next_participant = 1;  // guarded by the pool's mutex
  int inside = 0;            // guarded by the pool's mutex
  std::atomic<size_t> next{0};
  std::atomic<int> busy{0};
  std::condition_variable left;
  std::exception_ptr failure;  // guarded by the pool's mutex

  void take_tasks(int participant, std::mutex& mutex) {
    bool took_one = false;
    for (size_t index = next.fetch_add(1); index < count; index = next.fetch_add(1)) {
      if (!took_one) busy.fetch_add(1);
      took_one = true;
      try {
        (*task)(index, participant);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next.store(count);
      }
    }
  }
};

/// The pool of this process, made when it is first asked for. Constant-initialised, so that a fork finds it whole
/// whatever another thread is about to do.
struct ThreadPool::OfProcess {
  std::atomic<ThreadPool*> pool{nullptr};
  std::atomic<ThreadPool*> of_parent{nullptr};

  static OfProcess instance;

  constexpr OfProcess() = default;
  OfProcess(const OfProcess&) = delete;
  OfProcess& operator=(const OfProcess&) = delete;
  ~OfProcess() { const std::unique_ptr<ThreadPool> ended(pool.exchange(nullptr)); }

  ThreadPool& get() {
    ThreadPool* there = pool.load(std::memory_order_acquire);
    if (there != nullptr) return *there;
    std::unique_ptr<ThreadPool> made(new ThreadPool());
    made->of_parent_ = of_parent.load();
    if (pool.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel)) return *made.release();
    return *there;
  }

  /// The parent's pool can be neither used nor destroyed in the child: its mutex may be held, and its condition be
  /// waited for, by threads that are not there. It stays, out of use.
  static void leave_in_child() {
    if (ThreadPool* const parents = instance.pool.exchange(nullptr)) instance.of_parent.store(parents);
  }
  /// Before main(), so that no fork comes too early.
  inline static const int registered = ::pthread_atfork(nullptr, nullptr, leave_in_child);
};

constinit ThreadPool::OfProcess ThreadPool::OfProcess::instance;

ThreadPool& ThreadPool::shared() {
  return OfProcess::instance.get();
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

int ThreadPool::workers() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(threads_.size());
}

void ThreadPool::hire(int workers) {
  while (static_cast<int>(threads_.size()) < workers) threads_.emplace_back([this] { work(); });
}

int ThreadPool::run(size_t count, int threads, const Task& task) {
  SUMMAND_ASSERT(threads >= 1);
  if (count == 0) return 0;
  Job job;
  job.task = &task;
  job.count = count;
  job.open_places = static_cast<int>(std::min<size_t>(count, static_cast<size_t>(threads))) - 1;
  const bool shared = job.open_places > 0;  // asked before workers see the job and take its places
  if (shared) {
    {
      const std::lock_guard lock(mutex_);
      hire(job.open_places);
      jobs_.push_back(&job);
    }
    wake_.notify_all();
  }
  job.take_tasks(0, mutex_);
  if (shared) {
    std::unique_lock lock(mutex_);
    std::erase(jobs_, &job);
    job.left.wait(lock, [&] { return job.inside == 0; });
  }
  if (job.failure) std::rethrow_exception(job.failure);
  return job.busy.load();
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto open = std::find_if(jobs_.begin(), jobs_.end(), [](const Job* job) { return job->open_places > 0; });
    if (open == jobs_.end()) {
      if (stopping_) return;
      wake_.wait(lock);
      continue;
    }
    Job& job = **open;
    --job.open_places;
    ++job.inside;
    const int participant = job.next_participant++;
    lock.unlock();
    job.take_tasks(participant, mutex_);
    lock.lock();
    if (--job.inside == 0) job.left.notify_all();
  }
}

}  // namespace summand
