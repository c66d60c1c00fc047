#include "lab/core/run_tasks.hpp"

#include "base/available_threads.hpp"
#include "base/thread_pool.hpp"

namespace summand::lab {

int thread_count(const Conditions& conditions) {
  return conditions.threads > 0 ? conditions.threads : available_threads();
}

void run_tasks(const Conditions& conditions, size_t count, const std::function<void(size_t)>& task) {
  ThreadPool::shared().run(count, thread_count(conditions), [&](size_t i, int) { task(i); });
}

}  // namespace summand::lab
