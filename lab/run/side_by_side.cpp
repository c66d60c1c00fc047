#include "lab/run/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace summand::lab {

void run_side_by_side(size_t count, size_t lanes, const std::function<void(size_t)>& task) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;  // guarded by the mutex
  const auto lane = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        task(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next.store(count);
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < std::min(lanes, count); ++i) others.emplace_back(lane);
    lane();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace summand::lab
