// After fork() a child computes what its parent computes, whatever the parent's other threads were doing.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "support/forked.hpp"
#include "support/random_model.hpp"

namespace summand {

namespace {

using test::status_of_child;

/// Bytes of a table, whoever copies them having to wait for a sign.
struct Gate : model::TensorSource {
  std::vector<float> values;
  mutable std::atomic<bool> reached{false};
  std::atomic<bool> open{true};

  void copy(std::span<const std::byte> from, std::byte* to) const override {
    reached.store(true);
    while (!open.load()) std::this_thread::yield();
    std::ranges::copy(from, to);
  }
};

struct Setting {
  model::Config config = test::config_of({.hidden = 24, .heads = 3, .vocabulary = 900});
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  model::Weights weights;
  std::unique_ptr<engine::Engine> engine;
  model::Batch many = test::random_batch(config, std::vector<size_t>(60, 31), 2);  // groups apart
  model::Batch one = test::random_batch(config, {300}, 3);                         // shared

  explicit Setting(int threads)
      : weights(test::random_weights(
            config, model::ModelParts{.pooler = model::Pooler::present, .heads = {model::Head::masked_language}}, 1)) {
    const auto& table = weights.at("embeddings.word_embeddings.weight");
    gate->values = model::to_floats(table);
    weights.set("embeddings.word_embeddings.weight",
                {model::DType::f32, table.shape, std::as_bytes(std::span(gate->values)), gate});
    engine = std::make_unique<engine::Engine>(config, weights, engine::EngineOptions{.threads = threads});
  }

  /// Hidden states of both batches and logits, one after the other.
  [[nodiscard]] std::vector<float> results() const {
    const std::vector<size_t> layers{2};
    const std::vector<size_t> masked{5, 40, 100};
    std::vector<float> all;
    const auto add = [&](const Matrix<float>& rows) {
      all.insert(all.end(), rows.elements().begin(), rows.elements().end());
    };
    add(engine::hidden_states(*engine, many, layers)[0]);
    add(engine::hidden_states(*engine, one, layers)[0]);
    add(engine::pooled_output(*engine, many));
    add(engine::head_logits(*engine, many, model::Head::masked_language, masked));
    return all;
  }
  [[nodiscard]] bool gives(const std::vector<float>& want) const {
    const auto got = results();
    return got.size() == want.size() && std::memcmp(got.data(), want.data(), got.size() * sizeof(float)) == 0;
  }
};

}  // namespace

TEST_CASE("a child computes the same bits with as many threads, its own child too, and all of them exit") {
  const Setting setting(3);
  const auto want = setting.results();
  CHECK(status_of_child([&] { return setting.gives(want); }) == 0);
  CHECK(status_of_child([&] { return status_of_child([&] { return setting.gives(want); }) == 0; }) == 0);
  CHECK(setting.gives(want));
}

TEST_CASE("a child that was made before the parent computed anything computes the same bits") {
  const Setting setting(3);
  const auto want = Setting(1).results();
  CHECK(status_of_child([&] { return setting.gives(want); }) == 0);
  CHECK(setting.gives(want));
}

TEST_CASE("a child computes the same bits while the parent's other threads are in the middle of runs") {
  const Setting setting(3);
  const auto want = setting.results();
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> others;
  for (int other = 0; other < 3; ++other) {
    others.emplace_back([&] {
      while (!over.load()) wrong.fetch_add(setting.gives(want) ? 0 : 1);
    });
  }
  for (int round = 0; round < 20; ++round) CHECK(status_of_child([&] { return setting.gives(want); }) == 0);
  over.store(true);
  for (auto& other : others) other.join();
  CHECK(wrong.load() == 0);
}

TEST_CASE("a fork while another thread packs a head waits for it, and the child has the head") {
  const auto want = Setting(1).results();
  const Setting setting(3);
  setting.gate->open.store(false);
  std::thread packing([&] { setting.engine->prepare(model::Head::masked_language); });
  while (!setting.gate->reached.load()) std::this_thread::yield();
  std::thread opening([&] { setting.gate->open.store(true); });  // while the fork waits, or before it
  CHECK(status_of_child([&] { return setting.gives(want); }) == 0);
  opening.join();
  packing.join();
  CHECK(setting.gives(want));
}

}  // namespace summand
