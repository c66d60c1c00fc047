// After fork() a child has none of its parent's other threads, and everything that they held and waited for.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

#include "base/fork_mutex.hpp"
#include "base/thread_pool.hpp"
#include "support/forked.hpp"

using summand::ForkMutex;
using summand::ThreadPool;
using summand::test::status_of_child;

namespace {

/// Whether three threads of the pool ran: each waits for the other two.
bool three_work() {
  std::atomic<int> waiting{0};
  const int used = ThreadPool::shared().run(3, 3, [&](size_t, int) {
    waiting.fetch_add(1);
    while (waiting.load() < 3) std::this_thread::yield();
  });
  return used == 3;
}

}  // namespace

TEST_CASE("the child of a process whose pool has threads ends as any other") {
  REQUIRE(three_work());
  CHECK(status_of_child([] { return true; }) == 0);
}

TEST_CASE("a pool works in a child, in the child's child, and in the parent as before") {
  REQUIRE(three_work());
  CHECK(status_of_child([] {
          if (!three_work() || ThreadPool::shared().workers() != 2) return false;
          return status_of_child(three_work) == 0 && three_work();
        }) == 0);
  CHECK(three_work());
}

TEST_CASE("a pool works in a child that was made while another thread was inside a run") {
  std::atomic<bool> inside{false};
  std::atomic<bool> over{false};
  std::thread other([&] {
    ThreadPool::shared().run(3, 3, [&](size_t, int) {
      inside.store(true);
      while (!over.load()) std::this_thread::yield();
    });
  });
  while (!inside.load()) std::this_thread::yield();
  CHECK(status_of_child(three_work) == 0);
  over.store(true);
  other.join();
  CHECK(three_work());
}

TEST_CASE("a fork waits for a mutex that another thread holds, and the child finds it open and its data whole") {
  ForkMutex mutex;
  ForkMutex another;
  int halves = 0;  // guarded by the mutex, under which it is even
  std::atomic<bool> inside{false};
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over.load()) {
      const std::lock_guard lock(mutex);
      ++halves;
      inside.store(true);
      std::this_thread::yield();
      ++halves;
    }
  });
  while (!inside.load()) std::this_thread::yield();
  for (int round = 0; round < 20; ++round) {
    CHECK(status_of_child([&] {
            const std::lock_guard lock(mutex);
            const ForkMutex made_here;
            const std::lock_guard lock_another(another);
            return halves % 2 == 0;
          }) == 0);
  }
  over.store(true);
  other.join();
}
