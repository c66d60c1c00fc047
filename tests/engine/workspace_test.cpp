#include "engine/run/workspace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "support/emulated.hpp"
#include "support/random_model.hpp"
#include "support/sanitized.hpp"

namespace summand {

namespace {

constexpr size_t kMany = 200;  // runs: more than any while
/// Whether private_bytes() counts this program alone: sanitizers keep what is freed, an emulator counts itself too.
constexpr bool kMemoryIsOurs = !test::kSanitized && !test::kEmulated;

/// Bytes that this process may write to and nobody else, whether or not a page of them was touched.
size_t private_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:")) return std::stoull(line.substr(7)) * 1024;
  }
  return 0;
}

/// What a run takes from a store and gives back.
std::vector<const void*> borrowed(engine::WorkspaceStore& store, size_t groups, size_t threads) {
  const engine::WorkspaceLoan loan(store, groups, threads);
  std::vector<const void*> all;
  for (size_t i = 0; i < groups; ++i) all.push_back(&loan.group(i));
  for (size_t i = 0; i < threads; ++i) all.push_back(&loan.thread(i));
  return all;
}

}  // namespace

TEST_CASE("one run after the other gets the same workspaces in the same places") {
  engine::WorkspaceStore store(3);
  const auto first = borrowed(store, 1, 3);
  for (size_t run = 0; run < kMany; ++run) CHECK(borrowed(store, 1, 3) == first);
  const auto apart = borrowed(store, 3, 3);
  CHECK(apart[0] == first[0]);
  CHECK(borrowed(store, 2, 2)[0] == first[0]);
  CHECK(borrowed(store, 1, 3) == first);
}

TEST_CASE("a buffer keeps its room while it is wanted, and gives back what nobody wanted for a while") {
  engine::AlignedFloats buffer;
  constexpr size_t kLarge = size_t{1} << 20U;
  buffer.fit(kLarge);
  const size_t with_room = private_bytes();
  const float* const room = buffer.data();
  for (size_t run = 0; run < kMany; ++run) {
    buffer.fit(run % 30 == 0 ? kLarge : 10);
    REQUIRE(buffer.data() == room);
  }
  for (size_t run = 0; run < kMany; ++run) buffer.fit(kLarge / 2);
  CHECK(buffer.data() == room);
  for (size_t run = 0; run < kMany; ++run) buffer.fit(run % 30 == 0 ? 1000 : 10);
  if (kMemoryIsOurs) CHECK(with_room >= private_bytes() + kLarge * sizeof(float));
  for (size_t i = 0; i < 1000; ++i) REQUIRE(buffer.data()[i] == 0.0F);
}

TEST_CASE("a store keeps no more than one run can use, and of that what recent runs used") {
  engine::WorkspaceStore store(2);
  std::vector<engine::Workspaces> taken;
  for (size_t caller = 0; caller < 10; ++caller) taken.push_back(store.take(1, 2));
  for (auto& workspaces : taken) {
    for (auto& group : workspaces.groups) group->projected.fit(size_t{1} << 20U);  // 4 MiB each
  }
  const size_t before = private_bytes();
  for (auto& workspaces : taken) store.give_back(std::move(workspaces));
  if (kMemoryIsOurs) CHECK(before - private_bytes() >= size_t{8} * 4 << 20U);
  const size_t with_two = private_bytes();
  for (size_t run = 0; run < kMany; ++run) (void)borrowed(store, 1, 2);
  if (kMemoryIsOurs) CHECK(with_two - private_bytes() >= size_t{4} << 20U);
}

TEST_CASE("an engine gives the memory of its workspaces back, by itself after a while and at once when asked to" *
          doctest::skip(test::kEmulated)) {
  const model::Config config = test::config_of({.hidden = 64, .heads = 2, .intermediate = 1024, .vocabulary = 4000});
  const auto weights = test::random_weights(config, model::ModelParts{.heads = {model::Head::masked_language}}, 1);
  const engine::Engine engine(config, weights, {.threads = 2});
  const std::vector<size_t> layers{2};
  const model::Batch small = test::random_batch(config, {20}, 2);
  const auto want = engine::hidden_states(engine, small, layers);
  // 512 masked tokens: 8 MB of logits.
  const model::Batch wide = test::random_batch(config, std::vector<size_t>(8, 512), 3);
  std::vector<size_t> masked(512);
  std::iota(masked.begin(), masked.end(), size_t{0});
  engine.prepare(model::Head::masked_language);
  const auto run_wide = [&] { engine.run(wide, {.head = model::Head::masked_language, .masked = masked}); };
  constexpr size_t kLogits = size_t{512} * 4000 * sizeof(float);

  const size_t before = private_bytes();
  run_wide();
  const size_t kept = private_bytes();
  engine.release_workspaces();
  const size_t released = private_bytes();
  run_wide();
  for (size_t run = 0; run < kMany; ++run) (void)engine::hidden_states(engine, small, layers);
  const size_t after_small_runs = private_bytes();
  if (kMemoryIsOurs) {
    CHECK(kept >= before + kLogits);
    CHECK(released + kLogits <= kept);
    CHECK(after_small_runs + kLogits <= kept);
  }
  engine.release_workspaces();
  CHECK(std::ranges::equal(engine::hidden_states(engine, small, layers)[0].elements(), want[0].elements()));
}

}  // namespace summand
