#include <doctest/doctest.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "engine/engine.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "engine/run/schedule.hpp"
#include "support/attention_settings.hpp"
#include "support/emulated.hpp"
#include "support/random_model.hpp"

namespace summand {

namespace {

constexpr size_t kMostTexts = test::kEmulated ? 20 : 300;  // drawn for one batch

/// All hidden states and the pooled output of each text.
struct Results {
  std::vector<std::vector<float>> texts;
  engine::RunReport report;
};

Results run(const engine::Engine& engine, const model::Batch& batch) {
  Results results;
  results.texts.resize(batch.texts());
  engine::RunRequest request{.pooled = engine::Pooled::compute};
  for (size_t i = 0; i <= static_cast<size_t>(engine.config().num_hidden_layers); ++i) {
    request.hidden_states.push_back(i);
  }
  request.on_text = [&](size_t text, const engine::TextResult& result) {
    const auto states = result.hidden_states;
    const auto pooled = result.pooled;
    std::vector<float>& all = results.texts[text];
    for (const auto& state : states) {
      for (size_t row = 0; row < state.rows(); ++row) {
        all.insert(all.end(), state.row(row).begin(), state.row(row).end());
      }
    }
    all.insert(all.end(), pooled.begin(), pooled.end());
  };
  results.report = engine.run(batch, request);
  return results;
}

bool same_bits(const std::vector<float>& left, const std::vector<float>& right) {
  return left.size() == right.size() && std::memcmp(left.data(), right.data(), left.size() * sizeof(float)) == 0;
}

/// Engines of 1, 2 and 3 threads over the same weights, and a pool of texts with their results alone, on one thread.
class Invariance {
 public:
  Invariance(const model::Config& config, const std::vector<size_t>& lengths,
             engine::Precision precision = engine::Precision::fp32)
      : weights_(test::random_weights(config, model::Pooler::present, 5)),
        pool_(test::random_batch(config, lengths, 6)) {
    for (int threads = 1; threads <= 3; ++threads) {
      engines_.emplace_back(config, weights_, engine::EngineOptions{.threads = threads, .precision = precision});
    }
    for (size_t text = 0; text < pool_.texts(); ++text) {
      alone_.push_back(run(engines_[0], test::alone(pool_, text)).texts[0]);
    }
  }

  void check_alone() const {
    for (const auto& engine : engines_) {
      for (size_t text = 0; text < pool_.texts(); ++text) {
        const Results results = run(engine, test::alone(pool_, text));
        check_packed(results.report, pool_.length(text));
        if (!same_bits(results.texts[0], alone_[text])) {
          FAIL("length ", pool_.length(text), " alone on ", engine.threads(), " threads");
        }
      }
    }
  }

  /// A batch of texts drawn from the pool, in the order drawn.
  void check_batch(const std::vector<size_t>& chosen) const {
    model::Batch batch;
    for (const size_t text : chosen) {
      const model::Batch one = test::alone(pool_, text);
      batch.add(one.ids, one.segments);
    }
    for (const auto& engine : engines_) {
      const Results results = run(engine, batch);
      check_packed(results.report, batch.tokens());
      for (size_t i = 0; i < chosen.size(); ++i) {
        if (!same_bits(results.texts[i], alone_[chosen[i]])) {
          FAIL("length ", batch.length(i), ", text ", i, " of ", chosen.size(), ", ", engine.threads(), " threads");
        }
      }
    }
  }

 private:
  static void check_packed(const engine::RunReport& report, size_t tokens) {
    CHECK(report.tokens == tokens);
    CHECK(report.rows_computed == tokens);
  }

  model::Weights weights_;
  model::Batch pool_;
  std::vector<engine::Engine> engines_;
  std::vector<std::vector<float>> alone_;
};

/// A place that so many threads reach together: none passes before all are there.
class Meeting {
 public:
  explicit Meeting(int threads) : threads_(static_cast<size_t>(threads)) {}

  void wait() {
    std::unique_lock lock(mutex_);
    there_.insert(std::this_thread::get_id());
    all_there_.notify_all();
    all_there_.wait(lock, [this] { return there_.size() >= threads_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_there_;
  std::set<std::thread::id> there_;
  size_t threads_;
};

/// A run of which every thread that delivers a text waits for the others: it ends only if all take part, however late
/// the scheduler lets them come.
engine::RunReport run_meeting(const engine::Engine& engine, const model::Batch& batch) {
  Meeting meeting(engine.threads());
  return engine.run(batch, {.hidden_states = {4}, .on_text = [&](size_t, const auto&) { meeting.wait(); }});
}

std::vector<size_t> drawn(size_t count, size_t pool, std::mt19937& random) {
  std::vector<size_t> chosen(count);
  for (size_t& text : chosen) text = random() % pool;
  return chosen;
}

/// Calls body(precision) for every precision that this process's instruction set runs.
template <class Body>
void for_every_precision(const Body& body) {
  for (const auto& [precision, name] : enum_names(engine::Precision{})) {
    if (!engine::runs(precision, engine::chosen_kernel_set())) continue;
    INFO("precision ", std::string(name));
    body(precision);
  }
}

}  // namespace

TEST_CASE("a text has the same bits alone and in every batch, in every order, on 1, 2 and 3 threads: every length") {
  for_every_precision([](engine::Precision precision) {
    constexpr size_t kStep = test::kEmulated ? 17 : 1;  // a prime: of what 2 to 16 divide, every remainder
    std::vector<size_t> lengths;
    for (size_t length = 1; length <= 512; length += kStep) lengths.push_back(length);
    const Invariance invariance(test::config_of({.hidden = 10, .heads = 2, .intermediate = 23}), lengths, precision);
    std::mt19937 random(1);
    for (const size_t texts : {1, 2, 3, 7, 20, 100, 300}) {
      if (texts <= kMostTexts) invariance.check_batch(drawn(texts, lengths.size(), random));
    }
    std::vector<size_t> shuffled(lengths.size());
    for (size_t i = 0; i < shuffled.size(); ++i) shuffled[i] = i;
    std::ranges::shuffle(shuffled, random);
    invariance.check_batch(shuffled);
  });
}

TEST_CASE("a text has the same bits alone and in every batch: hidden size 64, four heads") {
  for_every_precision([](engine::Precision precision) {
    std::mt19937 random(2);
    std::vector<size_t> lengths{1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 257};
    if (!test::kEmulated) lengths.insert(lengths.end(), {255, 256, 511, 512});
    for (size_t i = 0; i < std::min<size_t>(60, kMostTexts); ++i) lengths.push_back(1 + random() % 60);
    const Invariance invariance(test::config_of({.hidden = 64, .heads = 4, .intermediate = 200, .layers = 3}), lengths,
                                precision);
    invariance.check_alone();
    for (const size_t texts : {2, 3, 5, 8, 50, 300}) {
      if (texts <= kMostTexts) invariance.check_batch(drawn(texts, lengths.size(), random));
    }
  });
}

TEST_CASE("a text has the same bits alone and in every batch: every composition, encoding and switch") {
  for_every_precision([](engine::Precision precision) {
    const auto check = [&](const model::Config& config) {
      std::mt19937 random(7);
      const Invariance invariance(config, {1, 2, 7, 16, 33, 5, 48, 12, 3}, precision);
      invariance.check_alone();
      for (const size_t texts : {2, 9, 20}) invariance.check_batch(drawn(texts, 9, random));
    };
    const model::Config plain = test::config_of({.hidden = 12, .heads = 3, .intermediate = 20, .positions = 48});
    for (const auto& kind : test::attention_settings(plain.positions_in_attention().sizes)) {
      INFO(test::description(kind));
      model::Config config = plain;
      config.position_attention = kind;
      if (model::kind_error(kind, config.segments_in_attention().sizes).empty()) config.segment_attention = kind;
      check(config);
    }
    test::for_each_composition(plain, [&](const model::Config& composed) {
      INFO(std::string(model::name_of(composed.composition)), ", ", std::string(model::name_of(composed.position)));
      check(composed);
    });
    model::Config config = plain;
    config.attention = {.query_key = model::QueryKeyMaps::tied, .value = false, .causal = true};
    config.per_layer_inputs = {.token = true, .position = true, .segment = true};
    check(config);
  });
}

TEST_CASE("a text has the same bits alone and in every batch: the shape of a small BERT") {
  for_every_precision([](engine::Precision precision) {
    std::mt19937 random(3);
    const auto lengths = test::kEmulated ? std::vector<size_t>{1, 12, 31, 140}
                                         : std::vector<size_t>{1, 7, 12, 31, 48, 77, 119, 140, 200};
    const Invariance invariance(
        test::config_of({.hidden = 384, .heads = 12, .intermediate = 1536, .layers = 1, .vocabulary = 50}), lengths,
        precision);
    invariance.check_alone();
    for (const size_t texts : {4, 2, 15}) {
      invariance.check_batch(drawn(texts, lengths.size(), random));
      if (test::kEmulated) return;
    }
  });
}

TEST_CASE("a large batch runs packed, in groups, on as many threads as asked" * doctest::skip(test::kEmulated)) {
  const model::Config config = test::config_of({.hidden = 64, .heads = 4, .intermediate = 256, .layers = 4});
  const model::Weights weights = test::random_weights(config, model::Pooler::absent, 5);
  std::mt19937 random(4);
  std::vector<size_t> lengths(400);
  for (size_t& length : lengths) length = 1 + random() % 100;
  const model::Batch batch = test::random_batch(config, lengths, 1);
  for (int threads = 1; threads <= 3; ++threads) {
    const engine::Engine engine(config, weights, {.threads = threads});
    const auto report = run_meeting(engine, batch);
    CHECK(report.threads == threads);
    CHECK(report.texts == 400);
    CHECK(report.tokens == batch.tokens());
    CHECK(report.rows_computed == batch.tokens());
    CHECK(report.groups >= batch.tokens() / 128);
    CHECK(report.groups <= batch.tokens() / 128 + 4);
    CHECK(report.panels == report.groups);
  }
}

TEST_CASE("a group with one long text is shared by all threads") {
  const model::Config config = test::config_of({.hidden = 64, .heads = 4, .intermediate = 256, .layers = 4});
  const engine::Engine engine(config, test::random_weights(config, model::Pooler::absent, 5), {.threads = 3});
  // Two short ones beside it, so that there are as many to deliver as threads to meet.
  const model::Batch batch = test::random_batch(config, {300, 2, 1}, 1);
  const auto plan = engine::schedule(batch, 3);
  REQUIRE(plan.sharing == engine::Sharing::all_threads_share);
  REQUIRE(plan.groups.size() == 1);
  CHECK(run_meeting(engine, batch).threads == 3);
}

}  // namespace summand
