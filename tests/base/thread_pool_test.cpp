#include "base/thread_pool.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

using summand::ThreadPool;

TEST_CASE("every task runs exactly once, whatever the number of threads") {
  for (const int threads : {1, 2, 3, 8}) {
    std::vector<std::atomic<int>> runs(1000);
    ThreadPool::shared().run(runs.size(), threads, [&](size_t task, int participant) {
      CHECK(participant >= 0);
      CHECK(participant < threads);
      runs[task].fetch_add(1);
    });
    for (const auto& count : runs) CHECK(count.load() == 1);
  }
}

TEST_CASE("a job without tasks returns at once and reports no thread") {
  CHECK(ThreadPool::shared().run(0, 4, [](size_t, int) { FAIL("no task to run"); }) == 0);
}

TEST_CASE("two participants are never inside one job under the same number") {
  std::vector<std::atomic<int>> inside(4);
  ThreadPool::shared().run(2000, 4, [&](size_t, int participant) {
    auto& count = inside[static_cast<size_t>(participant)];
    CHECK(count.fetch_add(1) == 0);
    count.fetch_sub(1);
  });
}

TEST_CASE("as many threads work as were asked for when there is work for all") {
  std::atomic<int> waiting{0};
  const int used = ThreadPool::shared().run(3, 3, [&](size_t, int) {
    waiting.fetch_add(1);
    while (waiting.load() < 3) std::this_thread::yield();
  });
  CHECK(used == 3);
}

TEST_CASE("no call returns before the last of its tasks has ended") {
  // A worker may take the last place before the caller has begun to work: it was then not waited for.
  for (int round = 0; round < 20000; ++round) {
    std::atomic<int> ended{0};
    ThreadPool::shared().run(2, 2, [&](size_t, int) {
      for (int spin = 0; spin < 200; ++spin) std::atomic_signal_fence(std::memory_order_seq_cst);
      ended.fetch_add(1);
    });
    REQUIRE(ended.load() == 2);
  }
}

TEST_CASE("an exception in a task reaches the caller, and the pool works on afterwards") {
  const auto failing = [](size_t task, int) {
    if (task == 7) throw std::runtime_error("seven");
  };
  CHECK_THROWS_WITH(ThreadPool::shared().run(100, 3, failing), "seven");
  std::atomic<int> runs{0};
  ThreadPool::shared().run(50, 3, [&](size_t, int) { runs.fetch_add(1); });
  CHECK(runs.load() == 50);
}

TEST_CASE("calls from several threads at once all finish and share the pool's workers") {
  const int before = std::max(ThreadPool::shared().workers(), 2);
  std::vector<std::thread> callers;
  std::atomic<size_t> total{0};
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        ThreadPool::shared().run(20, 3, [&](size_t task, int) { total.fetch_add(task); });
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(total.load() == size_t{6} * 50 * 190);
  CHECK(ThreadPool::shared().workers() <= before);
}
