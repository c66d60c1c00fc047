#include "engine/engine.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>

#include "against_reference.hpp"
#include "base/error.hpp"
#include "support/random_model.hpp"

namespace summand {

namespace {

using test::Sizes;

std::vector<size_t> one_to(size_t last) {
  std::vector<size_t> lengths(last);
  std::iota(lengths.begin(), lengths.end(), 1);
  return lengths;
}

}  // namespace

TEST_CASE("hidden states and pooled output agree with double precision for odd shapes and every length") {
  const std::vector<Sizes> shapes{
      {.hidden = 1, .heads = 1, .intermediate = 1, .layers = 1, .positions = 9, .segments = 1, .vocabulary = 1},
      {.hidden = 5, .heads = 5, .intermediate = 7, .layers = 2, .positions = 20, .segments = 1},
      {.hidden = 5, .heads = 1, .intermediate = 7, .layers = 0, .positions = 20, .segments = 3},
      {.hidden = 12, .heads = 4, .intermediate = 37, .layers = 1, .positions = 40, .segments = 2},
      {.hidden = 30, .heads = 6, .intermediate = 7, .layers = 3, .positions = 36, .segments = 2},
      {.hidden = 36, .heads = 12, .intermediate = 37, .layers = 2, .positions = 70, .segments = 2},
      {.hidden = 65, .heads = 13, .intermediate = 130, .layers = 2, .positions = 30, .segments = 3},
      {.hidden = 35, .heads = 5, .intermediate = 100, .layers = 2, .positions = 30, .segments = 2},
  };
  for (const Sizes& sizes : shapes) {
    const model::Config config = test::config_of(sizes);
    test::check_against_reference(config, one_to(static_cast<size_t>(sizes.positions)), 3);
  }
}

TEST_CASE("every activation agrees with double precision") {
  for (const auto& name : model::enum_names(model::Activation{})) {
    model::Config config = test::config_of({.layers = 3});
    config.hidden_act = name.value;
    INFO(std::string(name.name));
    test::check_against_reference(config, {1, 2, 9, 33}, 3);
  }
}

TEST_CASE("the normalisation's epsilon is honoured") {
  for (const double epsilon : {1e-12, 1e-5, 0.5}) {
    model::Config config = test::config_of({});
    config.layer_norm_eps = epsilon;
    test::check_against_reference(config, {1, 7, 20}, 2);
  }
}

TEST_CASE("long texts and middle-sized models agree with double precision") {
  test::check_against_reference(test::config_of({.hidden = 64, .heads = 2, .intermediate = 256, .layers = 2}),
                                {512, 511, 129, 128, 1}, 2);
  test::check_against_reference(test::config_of({.hidden = 12, .heads = 3, .layers = 1, .positions = 2048}), {2048, 3},
                                2);
}

TEST_CASE("only the layers that are asked for are computed, in the order asked") {
  const model::Config config = test::config_of({.layers = 4});
  const engine::Engine engine(config, test::random_weights(config, model::Pooler::absent, 1), {.threads = 2});
  const model::Batch batch = test::random_batch(config, {3, 60, 17}, 2);
  const auto all = engine::hidden_states(engine, batch, std::vector<size_t>{0, 1, 2, 3, 4});
  const std::vector<size_t> wanted{3, 0, 3, 1};
  const auto some = engine::hidden_states(engine, batch, wanted);
  for (size_t i = 0; i < wanted.size(); ++i) {
    CHECK(std::ranges::equal(some[i].elements(), all[wanted[i]].elements()));
  }
  CHECK_THROWS_WITH_AS(engine.run(batch, {.hidden_states = {5}}), "[engine] hidden state: expected 0 to 4, got 5",
                       UsageError);
}

TEST_CASE("empty texts and empty batches yield nothing") {
  const model::Config config = test::config_of({});
  const engine::Engine engine(config, test::random_weights(config, model::Pooler::present, 1), {.threads = 2});
  const model::Batch batch = test::random_batch(config, {0, 5, 0, 0, 7, 0}, 2);
  std::vector<int> calls(batch.texts());
  engine::RunRequest request{.hidden_states = {2}, .pooled = engine::Pooled::compute};
  request.on_text = [&](size_t text, const engine::TextResult& result) {
    const auto states = result.hidden_states;
    const auto pooled = result.pooled;
    calls[text] += 1;
    CHECK(states.size() == 1);
    CHECK(states[0].rows() == batch.length(text));
    CHECK(pooled.size() == 12);
  };
  CHECK(engine.run(batch, request).rows_computed == 12);
  CHECK(calls == std::vector<int>{0, 1, 0, 0, 1, 0});
  CHECK(engine.run(model::Batch(), request).tokens == 0);
  CHECK(engine.run(test::random_batch(config, {0, 0}, 1), request).groups == 0);
}

TEST_CASE("a model without a pooler gives an empty pooled row") {
  const model::Config config = test::config_of({});
  const engine::Engine engine(config, test::random_weights(config, model::Pooler::absent, 1));
  engine::RunRequest request{.pooled = engine::Pooled::compute};
  int calls = 0;
  request.on_text = [&](size_t, const engine::TextResult& result) {
    const auto pooled = result.pooled;
    CHECK(pooled.empty());
    ++calls;
  };
  engine.run(test::random_batch(config, {4}, 1), request);
  CHECK(calls == 1);
  CHECK_FALSE(engine.has_pooler());
  CHECK_THROWS_AS(static_cast<void>(engine::pooled_output(engine, model::Batch())), UsageError);
}

TEST_CASE("tables in other precisions and out of alignment are converted") {
  const model::Config config = test::config_of({});
  model::Weights weights = test::random_weights(config, model::Pooler::absent, 1);
  const model::Batch batch = test::random_batch(config, {30}, 2);
  const std::vector<size_t> layers{2};
  const auto before = engine::hidden_states(engine::Engine(config, weights), batch, layers);
  for (const auto* name : {"embeddings.word_embeddings.weight", "encoder.layer.1.intermediate.dense.weight"}) {
    const model::Tensor& aligned = weights.at(name);
    std::vector<std::byte> bytes(aligned.bytes.size() + 1);
    std::ranges::copy(aligned.bytes, bytes.begin() + 1);
    model::Tensor shifted = model::tensor_of(model::DType::f32, aligned.shape, std::move(bytes));
    shifted.bytes = shifted.bytes.subspan(1);
    weights.set(name, std::move(shifted));
  }
  const auto after = engine::hidden_states(engine::Engine(config, weights), batch, layers);
  CHECK(std::ranges::equal(before[0].elements(), after[0].elements()));
}

TEST_CASE("bad input is refused before anything is computed") {
  const model::Config config = test::config_of({});
  const model::Weights weights = test::random_weights(config, model::Pooler::absent, 1);
  const engine::Engine engine(config, weights);
  model::Batch batch = test::random_batch(config, {4}, 1);
  batch.ids[2] = 97;
  CHECK_THROWS_AS(engine.run(batch, {.hidden_states = {2}}), TextError);
  CHECK_THROWS_WITH_AS(engine::Engine(config, weights, {.threads = -1}),
                       "[engine] threads: expected at least 0, got -1", UsageError);
  model::Weights incomplete = weights;
  incomplete.erase("encoder.layer.1.output.dense.bias");
  CHECK_THROWS_WITH_AS(engine::Engine(config, incomplete), "[weights] 'encoder.layer.1.output.dense.bias' is missing",
                       CheckpointError);
}

TEST_CASE("what a receiver of results throws comes out of run, whoever computed the text") {
  const model::Config config = test::config_of({});
  const engine::Engine engine(config, test::random_weights(config, model::Pooler::absent, 1), {.threads = 2});
  engine::RunRequest request{.hidden_states = {2}};
  request.on_text = [](size_t, const engine::TextResult&) { throw TextError("receiver", "enough"); };
  for (const auto& lengths : {std::vector<size_t>{200}, std::vector<size_t>{20, 20, 20, 20}}) {
    CHECK_THROWS_WITH_AS(engine.run(test::random_batch(config, lengths, 1), request), "[receiver] enough", TextError);
  }
  request.on_text = {};
  CHECK(engine.run(test::random_batch(config, {5, 6}, 1), request).rows_computed == 11);
}

TEST_CASE("runs on four threads at once give what one gives") {
  const model::Config config = test::config_of({.hidden = 36, .heads = 4, .intermediate = 70, .layers = 2});
  const engine::Engine engine(config, test::random_weights(config, model::Pooler::absent, 1), {.threads = 2});
  std::vector<model::Batch> batches;
  for (uint32_t i = 0; i < 4; ++i) {
    std::vector<size_t> lengths{i == 0 ? size_t{300} : size_t{40}, 7, 90, 1, 33};
    batches.push_back(test::random_batch(config, lengths, i));
  }
  const std::vector<size_t> layers{1, 2};
  std::vector<std::vector<Matrix<float>>> want;
  for (const auto& batch : batches) want.push_back(engine::hidden_states(engine, batch, layers));
  std::vector<int> differences(4);
  std::vector<std::thread> callers;
  for (size_t i = 0; i < 4; ++i) {
    callers.emplace_back([&, i] {
      for (int round = 0; round < 10; ++round) {
        const auto got = engine::hidden_states(engine, batches[i], layers);
        for (size_t k = 0; k < layers.size(); ++k) {
          if (!std::ranges::equal(got[k].elements(), want[i][k].elements())) ++differences[i];
        }
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(differences == std::vector<int>(4));
}

TEST_CASE("the forced instruction set is the one that ran") {
  const model::Config config = test::config_of({});
  const engine::Engine engine(config, test::random_weights(config, model::Pooler::absent, 1));
  const auto report = engine.run(test::random_batch(config, {5}, 1), {.hidden_states = {2}});
  const char* const forced = std::getenv("SUMMAND_ISA");
  if (forced == nullptr) {
    CHECK(report.kernel_set == engine::available_kernel_sets().back());
  } else {
    CHECK(report.kernel_set->name == forced);
  }
  MESSAGE("instruction set: ", std::string(report.kernel_set->name), ", ", engine::matmul_backend());
}

TEST_CASE("a token table too large to stay in memory agrees with double precision, in every composition") {
  // 51.2 MB in single precision.
  model::Config config = test::config_of({.hidden = 64, .heads = 4, .layers = 1, .vocabulary = 200000});
  for (const model::Composition& composition :
       {model::Composition(model::Sum()), model::Composition(model::VectorGate())}) {
    config.composition = composition;
    test::check_against_reference(config, {3, 200, 1, 31}, 2);
  }
}

}  // namespace summand
