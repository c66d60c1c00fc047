#include "serve/work/worker.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace summand::serve;
using namespace std::chrono_literals;

/// Waits, where it is told to, until it is let go; keeps what it ran.
class Held : public Computation {
 public:
  void run(std::span<const Piece> pieces) override {
    std::unique_lock lock(mutex_);
    ++batches;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !holds_; });
    for (const auto& piece : pieces) ran.push_back(piece);
    if (fails) throw std::runtime_error("the product failed");
  }
  void hold(bool holds) {
    const std::lock_guard lock(mutex_);
    holds_ = holds;
    changed_.notify_all();
  }
  void wait_for_batch(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return batches >= number; });
  }

  bool fails = false;
  int batches = 0;
  std::vector<Piece> ran;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool holds_ = false;
};

/// Counts how jobs ended.
struct Endings {
  std::atomic<int> done = 0, failed = 0, withdrawn = 0;

  [[nodiscard]] int all() const { return done + failed + withdrawn; }
  [[nodiscard]] Job::OnEnd count() {
    return [this](Job&, Ending ending) {
      ++(ending == Ending::done ? done : ending == Ending::failed ? failed : withdrawn);
      all_.notify_all();
    };
  }
  void wait_for(int number) {
    while (all() < number) std::this_thread::sleep_for(1ms);
  }

 private:
  std::condition_variable all_;
};

std::shared_ptr<Job> job(Computation& computation, Endings& endings, std::vector<size_t> tokens = {10}) {
  return std::make_shared<Job>(computation, std::move(tokens), endings.count());
}

}  // namespace

TEST_CASE("every job ends once, from many threads") {
  Held computation;
  Endings endings;
  constexpr int kThreads = 8, kJobs = 500;
  {
    Worker worker({.most_quick = 100'000s, .most_bulk = 100'000s});
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kJobs; ++i) {
          const auto one = job(computation, endings, std::vector<size_t>(1 + (i + t) % 7, 11));
          CHECK_FALSE(worker.submit(one));
          if (i % 5 == 0) worker.withdraw(one);
        }
      });
    }
    for (auto& thread : threads) thread.join();
    endings.wait_for(kThreads * kJobs);
  }
  CHECK(endings.all() == kThreads * kJobs);
  CHECK(endings.failed == 0);
}

TEST_CASE("a computation that throws ends the jobs of its batch, and no others") {
  Held computation;
  Endings endings;
  Worker worker({});
  computation.fails = true;
  const auto bad = job(computation, endings);
  REQUIRE_FALSE(worker.submit(bad));
  endings.wait_for(1);
  CHECK(endings.failed == 1);
  REQUIRE(bad->fault());
  CHECK_THROWS_WITH(std::rethrow_exception(bad->fault()), "the product failed");
  computation.fails = false;
  REQUIRE_FALSE(worker.submit(job(computation, endings)));
  endings.wait_for(2);
  CHECK(endings.done == 1);
}

TEST_CASE("work of a job that is withdrawn is not done") {
  Held computation;
  Endings endings;
  Worker worker({});
  computation.hold(true);
  REQUIRE_FALSE(worker.submit(job(computation, endings)));
  computation.wait_for_batch(1);
  const auto gone = job(computation, endings);
  REQUIRE_FALSE(worker.submit(gone));
  worker.withdraw(gone);
  CHECK(endings.withdrawn == 1);
  computation.hold(false);
  endings.wait_for(2);
  CHECK(worker.load().jobs == 0);
  for (const auto& piece : computation.ran) CHECK(piece.job != gone);
}

TEST_CASE("what would wait too long is refused, with the time until it would not") {
  Held computation;
  Endings endings;
  computation.measured(1'000, 1.0);
  Worker worker({.batch = 100ms, .most_quick = 500ms, .most_bulk = 1'000ms});
  computation.hold(true);
  REQUIRE_FALSE(worker.submit(job(computation, endings)));
  computation.wait_for_batch(1);
  int taken = 0;
  std::optional<Refusal> refusal;
  while (!(refusal = worker.submit(job(computation, endings)))) ++taken;
  CHECK(taken == 50);  // half a second at a thousand tokens a second
  CHECK(refusal->wait.count() == doctest::Approx(0.5).epsilon(0.01));
  // Another lane has room.
  CHECK_FALSE(worker.submit(job(computation, endings, std::vector<size_t>(20, 10))));
  computation.hold(false);
  endings.wait_for(taken + 2);
}

TEST_CASE("the end of a worker ends what waits") {
  Held computation;
  Endings endings;
  {
    Worker worker({});
    computation.hold(true);
    REQUIRE_FALSE(worker.submit(job(computation, endings)));
    computation.wait_for_batch(1);
    REQUIRE_FALSE(worker.submit(job(computation, endings)));
    computation.hold(false);
  }
  CHECK(endings.all() == 2);
}

TEST_CASE("a rate follows the work of late") {
  Held computation;
  computation.measured(100, 0.1);
  CHECK(computation.rate() == doctest::Approx(1'000));
  for (int i = 0; i < 100; ++i) computation.measured(500, 0.1);
  CHECK(computation.rate() == doctest::Approx(5'000).epsilon(0.01));
}
