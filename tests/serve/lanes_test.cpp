#include "serve/work/lanes.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <vector>

namespace {

using namespace summand::serve;

class Nothing : public Computation {
 public:
  void run(std::span<const Piece>) override {}
};

constexpr size_t kBatch = 100;

/// Of a computation that makes 2,000 tokens a second, as one does that was never measured: 200 and 10,000 tokens.
LaneLimits limits(const size_t& batch = kBatch) {
  return {.batch = [&batch](const Computation&) { return batch; }, .quick_seconds = 0.1, .bulk_seconds = 5};
}

std::shared_ptr<Job> job(Computation& computation, std::vector<size_t> tokens) {
  return std::make_shared<Job>(computation, std::move(tokens), nullptr);
}

std::vector<Piece> next(Lanes& lanes) {
  return lanes.next_batch();
}

size_t tokens_of(const std::vector<Piece>& batch) {
  size_t tokens = 0;
  for (const auto& piece : batch) tokens += piece.job->tokens_of(piece.index);
  return tokens;
}

}  // namespace

TEST_CASE("an empty queue has no batch") {
  Lanes lanes(limits());
  CHECK(next(lanes).empty());
  CHECK(lanes.jobs() == 0);
}

TEST_CASE("a batch holds as much as fits, and one piece at least") {
  Lanes lanes(limits());
  Nothing computation;
  REQUIRE(lanes.add(job(computation, {40})));
  REQUIRE(lanes.add(job(computation, {40})));
  REQUIRE(lanes.add(job(computation, {30})));
  CHECK(tokens_of(next(lanes)) == 80);
  CHECK(tokens_of(next(lanes)) == 30);
  REQUIRE(lanes.add(job(computation, {500})));
  CHECK(tokens_of(next(lanes)) == 500);
  CHECK(lanes.waiting_tokens() == 0);
}

TEST_CASE("small jobs wait for no large one") {
  Lanes lanes(limits());
  Nothing computation;
  const auto large = job(computation, std::vector<size_t>(40, 25));
  REQUIRE(lanes.add(large));
  CHECK(tokens_of(next(lanes)) == 100);
  const auto small = job(computation, {10, 10});
  REQUIRE(lanes.add(small));
  const auto batch = next(lanes);
  CHECK(batch[0].job == small);
  CHECK(batch[1].job == small);
  CHECK(batch[2].job == large);
  CHECK(tokens_of(batch) == 95);
}

TEST_CASE("large jobs take turns, and get a batch in four under any number of small ones") {
  Lanes lanes(limits());
  Nothing computation;
  const auto one = job(computation, std::vector<size_t>(20, 25));
  const auto other = job(computation, std::vector<size_t>(20, 25));
  REQUIRE(lanes.add(one));
  REQUIRE(lanes.add(other));
  std::map<const Job*, size_t> given;
  for (const auto& piece : next(lanes)) ++given[piece.job.get()];
  CHECK(given[one.get()] == 2);
  CHECK(given[other.get()] == 2);
  size_t of_large = 0;
  for (int i = 0; i < 8; ++i) {
    while (lanes.add(job(computation, {50}))) continue;
    for (const auto& piece : next(lanes)) of_large += piece.job == one || piece.job == other ? 1 : 0;
  }
  CHECK(of_large == 8);  // two batches of four pieces
}

TEST_CASE("when batches grow, a job that is small after all does not wait behind newer ones") {
  size_t batch = kBatch;
  Lanes lanes(limits(batch));
  Nothing computation;
  const auto early = job(computation, {10});
  const auto middle = job(computation, {60});
  const auto late = job(computation, {10});
  const auto large = job(computation, {40, 40, 40, 40});
  for (const auto& one : {early, middle, late, large}) REQUIRE(lanes.add(one));
  batch = 120;
  const auto grown = next(lanes);
  REQUIRE(grown.size() == 4);
  CHECK(grown[0].job == early);
  CHECK(grown[1].job == middle);
  CHECK(grown[2].job == late);
  CHECK(grown[3].job == large);
  CHECK(lanes.waiting_tokens() == 120);
  CHECK(lanes.computed(grown).size() == 3);
  CHECK(lanes.remove(*large) == large);
  CHECK(lanes.waiting_tokens() == 0);
}

TEST_CASE("jobs that become small fill half of the quick lane, and leave the rest to those that come") {
  size_t batch = kBatch;
  Lanes lanes(limits(batch));
  Nothing computation;
  for (int i = 0; i < 50; ++i) REQUIRE(lanes.add(job(computation, {60})));
  batch = 120;
  for (int i = 0; i < 10; ++i) {
    const auto small = job(computation, {10});
    REQUIRE(lanes.add(small));
    CHECK(lanes.seconds_ahead(*small) <= 0.1);
    const auto made = next(lanes);
    CHECK(tokens_of(made) >= 60);
  }
}

TEST_CASE("a large job of another computation gets its turn between two of one") {
  Lanes lanes(limits());
  Nothing one, other;
  // Two pieces fit a batch: after it the two are in their old order.
  REQUIRE(lanes.add(job(one, std::vector<size_t>(20, 50))));
  const auto between = job(other, std::vector<size_t>(20, 50));
  REQUIRE(lanes.add(between));
  REQUIRE(lanes.add(job(one, std::vector<size_t>(20, 50))));
  size_t given = 0;
  for (int i = 0; i < 10; ++i) given += next(lanes)[0].job == between ? 1 : 0;
  CHECK(given >= 3);
}

TEST_CASE("what waits is counted by the speed of its own computation") {
  Lanes lanes(limits());
  Nothing slow, fast;
  fast.measured(20'000, 1.0);
  for (int i = 0; i < 30; ++i) REQUIRE(lanes.add(job(fast, {50})));  // 0.075 s
  CHECK(lanes.seconds_ahead(*job(slow, {10})) == doctest::Approx(0.075));
  REQUIRE(lanes.add(job(slow, {50})));  // 0.1 s together
  CHECK_FALSE(lanes.add(job(slow, {10})));
  CHECK_FALSE(lanes.add(job(fast, {50})));
}

TEST_CASE("a batch is of one computation, and none is left behind") {
  Lanes lanes(limits());
  Nothing one, other;
  REQUIRE(lanes.add(job(one, {10})));
  REQUIRE(lanes.add(job(other, {10})));
  REQUIRE(lanes.add(job(one, {10})));
  const auto first = next(lanes);
  CHECK(first.size() == 2);
  for (const auto& piece : first) CHECK(&piece.job->computation() == &one);
  const auto second = next(lanes);
  REQUIRE(second.size() == 1);
  CHECK(&second[0].job->computation() == &other);
}

TEST_CASE("a full lane takes nothing more; an empty one takes a job of any size") {
  Lanes lanes(limits());
  Nothing computation;
  for (int i = 0; i < 4; ++i) REQUIRE(lanes.add(job(computation, {50})));
  CHECK_FALSE(lanes.add(job(computation, {1})));
  CHECK(lanes.seconds_ahead(*job(computation, {1})) == doctest::Approx(0.1));
  REQUIRE(lanes.add(job(computation, {20'000})));
  CHECK_FALSE(lanes.add(job(computation, {51})));
}

TEST_CASE("a job is complete with its last piece") {
  Lanes lanes(limits());
  Nothing computation;
  const auto whole = job(computation, {60, 60});
  REQUIRE(lanes.add(whole));
  const auto first = next(lanes);
  CHECK(lanes.computed(first).empty());
  const auto second = next(lanes);
  const auto complete = lanes.computed(second);
  REQUIRE(complete.size() == 1);
  CHECK(complete[0] == whole);
  CHECK(lanes.jobs() == 0);
}

TEST_CASE("a job that is taken out leaves nothing waiting, also in the middle of a batch") {
  Lanes lanes(limits());
  Nothing computation;
  const auto gone = job(computation, {60, 60, 60});
  REQUIRE(lanes.add(gone));
  const auto batch = next(lanes);
  CHECK(lanes.remove(*gone) == gone);
  CHECK(lanes.remove(*gone) == nullptr);
  CHECK(lanes.waiting_tokens() == 0);
  CHECK(lanes.computed(batch).empty());
  CHECK(next(lanes).empty());
}
