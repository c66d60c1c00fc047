#include "engine/run/team.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace summand {

namespace {

/// More than any group takes, and more than one allocation holds.
constexpr size_t kSteps = 5000;
constexpr size_t kThreads = 4;

/// Calls body on several threads at a time.
template <class Body>
void on_threads(const Body& body) {
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < kThreads; ++thread) threads.emplace_back(body);
  for (auto& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("threads share any number of steps: every task runs once, and none before the step before it has ended") {
  engine::SharedSteps steps;
  std::vector<std::atomic<size_t>> ended(kSteps);
  std::atomic<size_t> too_early{0};
  std::atomic<size_t> tasks_run{0};
  on_threads([&] {
    engine::Worker worker(steps);
    for (size_t step = 0; step < kSteps; ++step) {
      worker.step(step % 5, [&](size_t) {
        if (step > 0 && ended[step - 1].load() != (step - 1) % 5) too_early.fetch_add(1);
        ended[step].fetch_add(1);
      });
    }
    tasks_run.fetch_add(worker.tasks_run());
  });
  for (size_t step = 0; step < kSteps; ++step) REQUIRE(ended[step].load() == step % 5);
  CHECK(too_early.load() == 0);
  CHECK(tasks_run.load() == kSteps / 5 * (0 + 1 + 2 + 3 + 4));
}

TEST_CASE("whoever comes late to shared steps finds them done") {
  engine::SharedSteps steps;
  size_t ran = 0;
  engine::Worker first(steps);
  for (size_t step = 0; step < kSteps; ++step) first.step(3, [&](size_t) { ++ran; });
  engine::Worker late(steps);
  for (size_t step = 0; step < kSteps; ++step) late.step(3, [&](size_t) { ++ran; });
  CHECK(ran == 3 * kSteps);
  CHECK(first.tasks_run() == 3 * kSteps);
  CHECK(late.tasks_run() == 0);
}

TEST_CASE("a member alone runs every task of every step") {
  std::vector<size_t> order;
  engine::Worker alone;
  alone.step(2, [&](size_t task) { order.push_back(task); });
  alone.step(0, [&](size_t) { FAIL("no task to run"); });
  alone.step(3, [&](size_t task) { order.push_back(10 + task); });
  CHECK(order == std::vector<size_t>{0, 1, 10, 11, 12});
  CHECK(alone.tasks_run() == 5);
}

TEST_CASE("of shared steps the first error comes out, and every thread reaches the end") {
  engine::SharedSteps steps;
  std::atomic<size_t> ends{0};
  on_threads([&] {
    engine::Worker worker(steps);
    for (size_t step = 0; step < 200; ++step) {
      worker.step(4, [&](size_t task) {
        if (step == 100 && task == 2) throw std::runtime_error("a hundred");
      });
    }
    ends.fetch_add(1);
  });
  CHECK(ends.load() == kThreads);
  CHECK_THROWS_WITH(steps.rethrow(), "a hundred");
}

}  // namespace summand
