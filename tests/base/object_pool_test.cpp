#include "base/object_pool.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

using summand::ObjectPool;

namespace {

/// Counts how many there are, and notices if two threads have it at a time.
struct Lent {
  explicit Lent(std::atomic<int>& all) : alive(all) { ++alive; }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() { --alive; }

  std::atomic<int>& alive;
  std::atomic<bool> in_use{false};
};

}  // namespace

TEST_CASE("a pool gives back what was put there, and is empty then") {
  ObjectPool<int> pool;
  CHECK(pool.take() == nullptr);
  pool.put(std::make_unique<int>(1));
  pool.put(std::make_unique<int>(2));
  std::set<int> taken;
  taken.insert(*pool.take());
  taken.insert(*pool.take());
  CHECK(taken == std::set{1, 2});
  CHECK(pool.take() == nullptr);
}

TEST_CASE("a pool holds a few, and frees the others and at last itself") {
  std::atomic<int> alive = 0;
  {
    ObjectPool<Lent> pool;
    for (int i = 0; i < 100; ++i) pool.put(std::make_unique<Lent>(alive));
    CHECK(alive > 0);
    CHECK(alive <= 16);
    pool.clear();
    CHECK(alive == 0);
    pool.put(std::make_unique<Lent>(alive));
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

TEST_CASE("no two threads have the same object at a time") {
  std::atomic<int> alive = 0;
  std::atomic<int> shared = 0;
  {
    ObjectPool<Lent> pool;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int round = 0; round < 5000; ++round) {
          auto lent = pool.take();
          if (!lent) lent = std::make_unique<Lent>(alive);
          if (lent->in_use.exchange(true)) ++shared;
          lent->in_use = false;
          pool.put(std::move(lent));
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(shared == 0);
    CHECK(alive <= 16);
  }
  CHECK(alive == 0);
}
