// Embedding tables in memory and left in the file: the same numbers, whichever of the three is where.
#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "against_reference.hpp"
#include "base/error.hpp"
#include "support/random_model.hpp"
#include "table_file.hpp"

namespace summand {

namespace {

constexpr int64_t kHidden = 12;
constexpr int64_t kFewRows = 20;
constexpr int64_t kManyRows = 60;
/// Bytes of a table with fewer rows than the one and more than the other.
constexpr size_t kLimit = size_t{40} * kHidden * sizeof(float);

constexpr const char* kToken = "embeddings.word_embeddings.weight";
constexpr const char* kPosition = "embeddings.position_embeddings.weight";
constexpr const char* kSegment = "embeddings.token_type_embeddings.weight";

/// Numbers that count how often some of them are copied, as rows of a table in a file are.
struct CountedCopies : model::TensorSource {
  std::vector<float> values;
  mutable std::atomic<size_t> copies{0};

  void copy(std::span<const std::byte> from, std::byte* to) const override {
    copies.fetch_add(1);
    std::ranges::copy(from, to);
  }
};

using Counters = std::map<std::string, std::shared_ptr<CountedCopies>>;

/// Lets the three tables lie in sources that count.
Counters watch_tables(model::Weights& weights) {
  Counters counters;
  for (const char* const name : {kToken, kPosition, kSegment}) {
    if (!weights.contains(name)) continue;
    auto source = std::make_shared<CountedCopies>();
    source->values = model::to_floats(weights.at(name));
    weights.set(name, {model::DType::f32, weights.at(name).shape, std::as_bytes(std::span(source->values)), source});
    counters[name] = std::move(source);
  }
  return counters;
}

std::vector<size_t> all_states(const model::Config& config) {
  std::vector<size_t> layers(static_cast<size_t>(config.num_hidden_layers) + 1);
  std::iota(layers.begin(), layers.end(), size_t{0});
  return layers;
}

bool same_bits(const std::vector<Matrix<float>>& left, const std::vector<Matrix<float>>& right) {
  return std::ranges::equal(left, right, [](const Matrix<float>& one, const Matrix<float>& other) {
    return std::memcmp(one.elements().data(), other.elements().data(), one.elements().size_bytes()) == 0;
  });
}

/// Each of the three tables small or large: all eight.
template <class Body>
void for_every_size(const Body& body) {
  for (const int64_t tokens : {kFewRows, kManyRows}) {
    for (const int64_t positions : {kFewRows, kManyRows}) {
      for (const int64_t segments : {kFewRows, kManyRows}) {
        INFO("tokens ", tokens, ", positions ", positions, ", segments ", segments);
        body(test::config_of({.hidden = kHidden,
                              .heads = 3,
                              .layers = 1,
                              .positions = positions,
                              .segments = segments,
                              .vocabulary = tokens}));
      }
    }
  }
}

void check_copies(const Counters& counters, const model::Config& config) {
  const auto check = [&](const char* name, int64_t rows) {
    const auto counter = counters.find(name);
    if (counter == counters.end()) return;
    INFO(name);
    CHECK((counter->second->copies > 0) == (rows == kManyRows));
  };
  check(kToken, config.vocab_size);
  check(kPosition, config.max_position_embeddings);
  check(kSegment, config.type_vocab_size);
}

/// All hidden states against the reference, and against tables in memory, by two threads.
void check_tables(const model::Config& config) {
  model::Weights weights = test::random_weights(config, model::Pooler::absent, 41);
  const Counters counters = watch_tables(weights);
  // Several texts, and one that outweighs them, which threads share.
  for (const auto& lengths : {std::vector<size_t>{9, 20, 1, 0, 17, 12}, std::vector<size_t>{20}}) {
    const model::Batch batch = test::random_batch(config, lengths, 42);
    const auto layers = all_states(config);
    const engine::Engine in_memory(config, weights, {.threads = 2, .largest_table_in_memory = SIZE_MAX});
    const engine::Engine engine(config, weights, {.threads = 2, .largest_table_in_memory = kLimit});
    for (const auto& [name, counter] : counters) counter->copies = 0;
    const auto want = engine::hidden_states(in_memory, batch, layers);
    for (const auto& [name, counter] : counters) CHECK(counter->copies == 0);
    const auto got = engine::hidden_states(engine, batch, layers);
    check_copies(counters, config);
    CHECK(same_bits(got, want));
    const reference::Bert<double> exact(config, weights);
    double worst = 0;
    for (size_t text = 0; text < batch.texts(); ++text) {
      if (batch.length(text) == 0) continue;
      const auto states = exact.run(batch, text).hidden_states;
      for (const size_t layer : layers) {
        const auto rows = got[layer].view().middle_rows(batch.offsets[text], batch.length(text));
        worst = std::max(worst, test::worst_difference(rows, states[layer].view()));
      }
    }
    CHECK(worst <= test::kEngineTolerance);
  }
}

/// Keeps the three parts of every token.
template <class Scalar>
struct Parts : model::Taps<Scalar> {
  std::map<std::pair<model::TapPoint, size_t>, std::vector<double>> seen;

  [[nodiscard]] bool wants(model::TapPoint point) const override {
    return point == model::TapPoint::token_part || point == model::TapPoint::position_part ||
           point == model::TapPoint::segment_part;
  }
  void visit(const model::TapSite& site, MatrixView<Scalar> values) override {
    auto& kept = seen[{site.point, site.text}];
    for (size_t row = 0; row < values.rows(); ++row) {
      kept.insert(kept.end(), values.row(row).begin(), values.row(row).end());
    }
  }
};

}  // namespace

TEST_CASE("each of the three tables may be in memory or left in the file, with every kind of positions") {
  for_every_size([](model::Config config) {
    for (const auto& position : model::typical_positions(config.position_table_size())) {
      // Computed from its tables, in memory.
      if (std::holds_alternative<model::ExtendedPositions>(position)) continue;
      if (std::holds_alternative<model::HierarchicalPositions>(position)) continue;
      config.position = position;
      INFO("positions ", std::string(model::name_of(position)));
      check_tables(config);
    }
  });
}

TEST_CASE("each of the three tables may be in memory or left in the file, with every composition") {
  for_every_size([](model::Config config) {
    for (const auto& composition : model::typical_compositions(static_cast<size_t>(config.hidden_size))) {
      config.composition = composition;
      // Its tables are narrower, and so smaller; or one table is longer than all three.
      if (std::holds_alternative<model::Concatenate>(composition)) continue;
      if (std::holds_alternative<model::JointTable>(composition)) continue;
      INFO(std::string(model::name_of(composition)));
      check_tables(config);
    }
  });
}

TEST_CASE("the parts of a token are the rows of its tables, wherever these are") {
  for_every_size([](const model::Config& config) {
    model::Weights weights = test::random_weights(config, model::Pooler::absent, 43);
    const Counters counters = watch_tables(weights);
    const model::Batch batch = test::random_batch(config, {7, 20}, 44);
    const engine::Engine engine(config, weights, {.largest_table_in_memory = kLimit});
    const reference::Bert<double> exact(config, weights);
    Parts<float> got;
    Parts<double> want;
    engine.run(batch, {.hidden_states = {0}, .taps = &got});
    for (size_t text = 0; text < batch.texts(); ++text) (void)exact.run(batch, text, &want);
    check_copies(counters, config);
    CHECK(got.seen.size() == 6);
    CHECK(got.seen == want.seen);
  });
}

TEST_CASE("a row that cannot be read any more ends the run with the file's error, and the engine works on") {
  const model::Config config = test::config_of({.hidden = kHidden, .heads = 3, .segments = 20});
  for (const char* const name : {kToken, kPosition, kSegment}) {
    INFO(name);
    model::Weights weights = test::random_weights(config, model::Pooler::absent, 45);
    const test::TableFile file(weights.at(name));
    weights.set(name, file.tensor());
    const engine::Engine engine(config, weights, {.threads = 3, .largest_table_in_memory = 100});
    // By one thread, by several apart, shared by all, and with taps.
    for (const auto& lengths : {std::vector<size_t>{3}, std::vector<size_t>(40, 30), std::vector<size_t>{300, 3, 5}}) {
      const model::Batch batch = test::random_batch(config, lengths, 46);
      const auto whole = engine::hidden_states(engine, batch, all_states(config));
      file.shorten();
      const auto said = doctest::Contains(" bytes, got ");
      CHECK_THROWS_WITH_AS((void)engine::hidden_states(engine, batch, all_states(config)), said, IoError);
      Parts<float> taps;
      CHECK_THROWS_WITH_AS(engine.run(batch, {.taps = &taps}), said, IoError);
      file.write();
      CHECK(same_bits(engine::hidden_states(engine, batch, all_states(config)), whole));
    }
  }
}

}  // namespace summand
