#include "engine/run/schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace summand {

namespace {

model::Batch batch_of(const std::vector<size_t>& lengths) {
  model::Batch batch;
  for (const size_t length : lengths) batch.add(std::vector<int32_t>(length), std::vector<int32_t>(length));
  return batch;
}

void check_complete(const engine::Schedule& plan, const model::Batch& batch) {
  std::vector<size_t> texts = plan.texts;
  std::ranges::sort(texts);
  std::vector<size_t> want;
  for (size_t text = 0; text < batch.texts(); ++text) {
    if (batch.length(text) > 0) want.push_back(text);
  }
  CHECK(texts == want);
  size_t next = 0;
  for (const engine::Group& group : plan.groups) {
    CHECK(group.begin == next);
    size_t tokens = 0;
    for (size_t i = group.begin; i < group.end; ++i) {
      CHECK(plan.first_row[i] == tokens);
      tokens += batch.length(plan.texts[i]);
    }
    CHECK(group.tokens == tokens);
    CHECK(tokens <= plan.largest_group);
    next = group.end;
  }
  CHECK(next == plan.texts.size());
}

}  // namespace

TEST_CASE("a schedule holds every text that has tokens exactly once") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<size_t> lengths(random() % 40);
    for (size_t& length : lengths) length = random() % 4 == 0 ? random() % 600 : random() % 50;
    const model::Batch batch = batch_of(lengths);
    for (const int threads : {1, 2, 3, 16}) check_complete(engine::schedule(batch, threads), batch);
  }
}

TEST_CASE("a group holds a panel of rows at most, or one longer text") {
  const model::Batch batch = batch_of({500, 3, 128, 129, 40, 50, 60, 70, 0, 1, 127});
  for (const auto& group : engine::schedule(batch, 1).groups) {
    CHECK((group.tokens <= engine::kPanelRows || group.end - group.begin == 1));
  }
}

TEST_CASE("many texts fill their groups") {
  std::mt19937 random(2);
  std::vector<size_t> lengths(512);
  for (size_t& length : lengths) length = 3 + random() % 60;
  const model::Batch batch = batch_of(lengths);
  const engine::Schedule plan = engine::schedule(batch, 2);
  CHECK(plan.sharing == engine::Sharing::one_thread_each);
  CHECK(plan.groups.size() <= batch.tokens() / engine::kPanelRows + 3);
}

TEST_CASE("a text that outweighs the others is shared by all threads, and few texts are divided among them") {
  CHECK(engine::schedule(batch_of({300}), 2).sharing == engine::Sharing::all_threads_share);
  CHECK(engine::schedule(batch_of({300}), 1).sharing == engine::Sharing::one_thread_each);
  CHECK(engine::schedule(batch_of({300, 10}), 2).sharing == engine::Sharing::all_threads_share);
  const auto plan = engine::schedule(batch_of({10, 10, 10, 10}), 2);
  CHECK(plan.sharing == engine::Sharing::one_thread_each);
  CHECK(plan.groups.size() == 2);
  CHECK(engine::schedule(batch_of({0, 0}), 2).groups.empty());
  CHECK(engine::schedule(batch_of({}), 2).groups.empty());
}

}  // namespace summand
