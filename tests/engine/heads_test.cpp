#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "engine/against_reference.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "engine/table_file.hpp"
#include "reference/heads.hpp"
#include "support/emulated.hpp"
#include "support/random_model.hpp"

namespace summand {

namespace {

using model::Head;

constexpr std::array kHeads{Head::masked_language, Head::next_sentence, Head::sequence_classification,
                            Head::token_classification, Head::question_answering};

/// Logits are sums over the hidden size of states that are each within the engine's tolerance.
constexpr double kLogitTolerance = 10 * test::kEngineTolerance;

/// A model with every head. Its labels have one weight matrix, so sequence classification stands for both.
struct HeadedModel {
  model::Config config;
  model::Weights weights;

  HeadedModel(const test::Sizes& sizes, size_t labels, model::Decoder decoder) : config(test::config_of(sizes)) {
    config.labels = model::numbered_labels(labels);
    weights = test::random_weights(
        config,
        {.pooler = model::Pooler::present,
         .heads = {Head::masked_language, Head::next_sentence, Head::sequence_classification, Head::question_answering},
         .decoder = decoder},
        41);
  }
};

/// Tokens of the batch, each with the given probability, ascending. Some texts have several, some none.
std::vector<size_t> random_masked(const model::Batch& batch, double probability, uint32_t seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution mask(probability);
  std::vector<size_t> masked;
  for (size_t token = 0; token < batch.tokens(); ++token) {
    if (mask(random)) masked.push_back(token);
  }
  return masked;
}

std::vector<size_t> masked_of(const model::Batch& batch, const std::vector<size_t>& masked, size_t text) {
  std::vector<size_t> own;
  for (const size_t token : masked) {
    if (token >= batch.offsets[text] && token < batch.offsets[text + 1]) own.push_back(token - batch.offsets[text]);
  }
  return own;
}

/// The logits of each text, row after row, and what the run counted.
struct Logits {
  std::vector<std::vector<float>> texts;
  engine::RunReport report;
};

Logits run(const engine::Engine& engine, const model::Batch& batch, engine::RunRequest request) {
  Logits logits;
  logits.texts.resize(batch.texts());
  request.on_text = [&](size_t text, const engine::TextResult& result) {
    for (size_t row = 0; row < result.logits.rows(); ++row) {
      const auto values = result.logits.row(row);
      logits.texts[text].insert(logits.texts[text].end(), values.begin(), values.end());
    }
    logits.texts[text].insert(logits.texts[text].end(), result.pooled.begin(), result.pooled.end());
  };
  logits.report = engine.run(batch, request);
  return logits;
}

bool same_bits(const std::vector<float>& left, const std::vector<float>& right) {
  return left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(float)) == 0);
}

void check_heads_against_reference(const HeadedModel& model, const std::vector<size_t>& lengths, int threads) {
  const model::Batch batch = test::random_batch(model.config, lengths, 3);
  const auto masked = random_masked(batch, 0.3, 4);
  const engine::Engine engine(model.config, model.weights, {.threads = threads});
  const reference::Bert<double> bert(model.config, model.weights);
  const reference::Heads<double> heads(model.config, model.weights);
  for (const Head head : kHeads) {
    const auto logits = run(engine, batch, {.head = head, .masked = masked});
    for (size_t text = 0; text < batch.texts(); ++text) {
      const auto want = heads.logits(head, bert.run(batch, text), masked_of(batch, masked, text));
      REQUIRE(logits.texts[text].size() == want.elements().size());
      const MatrixView<const float> got(logits.texts[text].data(), want.rows(), want.columns());
      INFO(std::string(model::name_of(head)), ", text of ", batch.length(text), " tokens, ", threads, " threads");
      CHECK(test::worst_difference(got, want.view()) <= kLogitTolerance);
    }
  }
}

class IgnoringTaps : public model::Taps<float> {
 public:
  [[nodiscard]] bool wants(model::TapPoint) const override { return false; }
  void visit(const model::TapSite&, MatrixView<float>) override {}
};

}  // namespace

TEST_CASE("the logits of every head agree with the reference in double, tied and with a decoder of its own") {
  for (const auto decoder : {model::Decoder::tied, model::Decoder::own}) {
    for (const int threads : {1, 3}) {
      check_heads_against_reference({{}, 5, decoder}, {1, 2, 9, 40, 129, 300}, threads);
      check_heads_against_reference({{.hidden = 65, .heads = 5, .intermediate = 130, .layers = 1}, 1, decoder},
                                    {17, 3, 200}, threads);
      check_heads_against_reference({{.hidden = 33, .heads = 3, .layers = 0}, 3, decoder}, {4, 1, 150}, threads);
    }
  }
  check_heads_against_reference(
      {{.hidden = 384, .heads = 12, .intermediate = 400, .layers = 2, .vocabulary = 300}, 2, model::Decoder::tied},
      {30, 7, 140}, 2);
}

TEST_CASE("rows that nobody reads are left out of the last layer and of the head, and every bit stays") {
  for (const auto& sizes : {test::Sizes{.layers = 3}, test::Sizes{.hidden = 100, .heads = 4, .layers = 1},
                            test::Sizes{.hidden = 192, .heads = 6, .intermediate = 300, .layers = 2}}) {
    const HeadedModel model(sizes, 4, model::Decoder::tied);
    const auto last = static_cast<size_t>(sizes.layers);
    for (const auto& lengths : {std::vector<size_t>{12, 1, 60, 5, 33, 128, 90}, std::vector<size_t>{400, 3}}) {
      const model::Batch batch = test::random_batch(model.config, lengths, 7);
      const auto masked = random_masked(batch, 0.15, 8);
      for (int threads = test::kEmulated ? 3 : 1; threads <= 3; ++threads) {
        const engine::Engine engine(model.config, model.weights, {.threads = threads});
        for (const Head head : kHeads) {
          const auto pooled = head == Head::masked_language ? engine::Pooled::skip : engine::Pooled::compute;
          const auto few = run(engine, batch, {.pooled = pooled, .head = head, .masked = masked});
          // Asking for the last hidden state makes the engine compute all of it.
          const auto all =
              run(engine, batch, {.hidden_states = {last}, .pooled = pooled, .head = head, .masked = masked});
          INFO(std::string(model::name_of(head)), ", hidden ", sizes.hidden, ", ", threads, " threads");
          for (size_t text = 0; text < batch.texts(); ++text) CHECK(same_bits(few.texts[text], all.texts[text]));
          const size_t read = head == Head::masked_language    ? masked.size()
                              : model::reads_every_token(head) ? batch.tokens()
                                                               : batch.texts();
          CHECK(few.report.last_rows == read);
          CHECK(few.report.head_rows == read);
          CHECK(few.report.rows_computed == batch.tokens());
          CHECK(all.report.last_rows == batch.tokens());
          CHECK(all.report.head_rows == read);
        }
      }
    }
  }
}

TEST_CASE("logits have the same bits alone and in a batch, in every order, on 1, 2 and 3 threads") {
  const HeadedModel model({.hidden = 36, .heads = 4, .intermediate = 70}, 3, model::Decoder::own);
  std::vector<size_t> lengths{1, 7, 16, 64, 65, 127, 128, 129, 300, 2, 31, 90};
  const model::Batch pool = test::random_batch(model.config, lengths, 7);
  const auto masked = random_masked(pool, 0.2, 8);
  std::vector<size_t> order(pool.texts());
  for (size_t i = 0; i < order.size(); ++i) order[i] = (5 * i + 3) % order.size();
  model::Batch shuffled;
  std::vector<size_t> shuffled_masked;
  for (const size_t text : order) {
    for (const size_t token : masked_of(pool, masked, text)) shuffled_masked.push_back(shuffled.tokens() + token);
    const auto one = test::alone(pool, text);
    shuffled.add(one.ids, one.segments);
  }
  for (const int threads : {1, 2, 3}) {
    const engine::Engine engine(model.config, model.weights, {.threads = threads});
    for (const Head head : kHeads) {
      const auto together = run(engine, shuffled, {.head = head, .masked = shuffled_masked});
      for (size_t i = 0; i < order.size(); ++i) {
        const auto alone =
            run(engine, test::alone(pool, order[i]), {.head = head, .masked = masked_of(pool, masked, order[i])});
        CHECK(same_bits(together.texts[i], alone.texts[0]));
      }
    }
  }
}

TEST_CASE("the logits of a batch lie in its order, and texts without tokens have zeros") {
  const HeadedModel model({}, 3, model::Decoder::tied);
  const engine::Engine engine(model.config, model.weights, {.threads = 2});
  const model::Batch batch = test::random_batch(model.config, {6, 0, 20, 3}, 7);
  const std::vector<size_t> masked{1, 4, 6, 28};
  for (const Head head : kHeads) {
    const Matrix<float> logits = engine::head_logits(engine, batch, head, masked);
    const auto texts = run(engine, batch, {.head = head, .masked = masked}).texts;
    std::vector<float> want;
    for (const auto& text : texts) {
      want.insert(want.end(), text.begin(), text.end());
      const bool row_missing = text.empty() && model::reads_pooled_output(head);
      if (row_missing) want.resize(want.size() + logits.columns());
    }
    CHECK(std::ranges::equal(logits.elements(), want));
    CHECK(logits.columns() == engine.logit_columns(head));
  }
  CHECK(engine::head_logits(engine, batch, Head::masked_language, {}).rows() == 0);
}

TEST_CASE("with taps the logits agree within tolerance") {
  const HeadedModel model({}, 3, model::Decoder::own);
  const engine::Engine engine(model.config, model.weights, {.threads = 2});
  const model::Batch batch = test::random_batch(model.config, {6, 20, 3}, 7);
  const std::vector<size_t> masked{1, 4, 6, 28};
  IgnoringTaps taps;
  for (const Head head : kHeads) {
    const auto plain = run(engine, batch, {.head = head, .masked = masked});
    const auto tapped = run(engine, batch, {.head = head, .masked = masked, .taps = &taps});
    CHECK(tapped.report.head_rows == plain.report.head_rows);
    for (size_t text = 0; text < batch.texts(); ++text) {
      REQUIRE(plain.texts[text].size() == tapped.texts[text].size());
      for (size_t i = 0; i < plain.texts[text].size(); ++i) {
        CHECK(std::abs(plain.texts[text][i] - tapped.texts[text][i]) <= kLogitTolerance);
      }
    }
  }
}

TEST_CASE("a head that is not there and masked tokens that do not fit are refused") {
  const HeadedModel model({}, 3, model::Decoder::tied);
  const model::Batch batch = test::random_batch(model.config, {6, 4}, 7);
  const engine::Engine bare(model.config, test::random_weights(model.config, model::Pooler::present, 1));
  for (const Head head : kHeads) {
    CHECK_FALSE(bare.has_head(head));
    CHECK_THROWS_AS(bare.run(batch, {.head = head}), UsageError);
  }
  CHECK_THROWS_WITH_AS(bare.run(batch, {.head = Head::next_sentence}),
                       "[engine] next sentence head: the model has none", UsageError);
  const engine::Engine engine(model.config, model.weights);
  CHECK_THROWS_WITH_AS(engine.run(batch, {.head = Head::masked_language, .masked = {3, 3}}),
                       "[engine] masked token 1: expected 4 to 9, ascending, got 3", UsageError);
  CHECK_THROWS_AS(engine.run(batch, {.head = Head::masked_language, .masked = {10}}), UsageError);
  CHECK_THROWS_AS(engine.run(batch, {.pooled = engine::Pooled::compute, .head = Head::masked_language}), UsageError);
  model::Weights without_pooler = model.weights;
  without_pooler.erase("pooler.dense.weight");
  CHECK_FALSE(engine::Engine(model.config, without_pooler).has_head(Head::sequence_classification));
  model::Weights incomplete = model.weights;
  incomplete.erase("cls.predictions.transform.LayerNorm.bias");
  const engine::Engine half(model.config, incomplete);
  CHECK_THROWS_AS(half.run(batch, {.head = Head::masked_language, .masked = {1}}), CheckpointError);
}

TEST_CASE("a head that was prepared gives the bits of one that a run prepares, however many threads ask at once") {
  // A vocabulary of more than one block of columns, so that threads share the packing.
  const HeadedModel model({.vocabulary = 1000}, 3, model::Decoder::own);
  const model::Batch batch = test::random_batch(model.config, {6, 20, 3}, 7);
  const std::vector<size_t> masked{1, 4, 6, 28};
  const engine::Engine one_thread(model.config, model.weights, {.threads = 1});
  for (const Head head : kHeads) {
    const auto want = run(one_thread, batch, {.head = head, .masked = masked}).texts;
    const engine::Engine engine(model.config, model.weights, {.threads = 3});
    std::vector<std::vector<std::vector<float>>> got(4);
    std::vector<std::thread> callers;
    for (auto& texts : got) {
      callers.emplace_back([&] {
        engine.prepare(head);
        texts = run(engine, batch, {.head = head, .masked = masked}).texts;
      });
    }
    for (auto& caller : callers) caller.join();
    for (const auto& texts : got) CHECK(texts == want);
  }
  const engine::Engine bare(model.config, test::random_weights(model.config, model::Pooler::absent, 1));
  for (const Head head : kHeads) CHECK_THROWS_AS(bare.prepare(head), UsageError);
}

TEST_CASE("a head whose file was shortened before it was prepared is refused, and prepared once the file is whole") {
  HeadedModel model({}, 3, model::Decoder::own);
  const test::TableFile file(model.weights.at("cls.predictions.decoder.weight"));
  const model::Batch batch = test::random_batch(model.config, {6}, 7);
  const auto wanted = [&](const engine::Engine& engine) {
    return run(engine, batch, {.head = Head::masked_language, .masked = {1, 4}}).texts;
  };
  const auto want = wanted(engine::Engine(model.config, model.weights));
  model.weights.set("cls.predictions.decoder.weight", file.tensor());
  const engine::Engine engine(model.config, model.weights, {.threads = 2});
  file.shorten();
  CHECK_THROWS_AS(engine.prepare(Head::masked_language), IoError);
  CHECK_THROWS_AS((void)wanted(engine), IoError);
  file.write();
  CHECK(wanted(engine) == want);
}

TEST_CASE("rows of one text that several threads share have one thread's logits, in every precision") {
  const HeadedModel model({.hidden = 48, .heads = 4, .intermediate = 100, .layers = 2}, 3, model::Decoder::tied);
  for (const auto& [precision, name] : enum_names(engine::Precision{})) {
    if (!engine::runs(precision, engine::chosen_kernel_set())) continue;
    for (const size_t length : {size_t{63}, size_t{130}, size_t{257}, size_t{400}}) {
      // So many rows are left in the last layer that threads have rows of their own there as well, and so few.
      for (const double probability : {0.6, 0.1}) {
        const auto batch = test::random_batch(model.config, {length}, 3);
        const auto masked = random_masked(batch, probability, 5);
        const engine::Engine alone(model.config, model.weights, {.threads = 1, .precision = precision});
        const auto expected = engine::head_logits(alone, batch, Head::masked_language, masked);
        for (const int threads : {2, 3, 4}) {
          INFO(std::string(name), ", ", length, " tokens, ", masked.size(), " masked, ", threads, " threads");
          const engine::Engine several(model.config, model.weights, {.threads = threads, .precision = precision});
          for (int turn = 0; turn < 3; ++turn) {
            const auto got = engine::head_logits(several, batch, Head::masked_language, masked);
            CHECK(std::ranges::equal(got.elements(), expected.elements()));
          }
        }
      }
    }
  }
}

TEST_CASE("whoever comes first to a text that threads share is counted, also if nobody else comes") {
  const HeadedModel model({.hidden = 12, .heads = 2, .layers = 1}, 2, model::Decoder::tied);
  const auto batch = test::random_batch(model.config, {5}, 3);
  const engine::Engine engine(model.config, model.weights, {.threads = 4});
  for (int turn = 0; turn < 200; ++turn) {
    const int threads = engine.run(batch, {.hidden_states = {1}}).threads;
    REQUIRE(threads >= 1);
    REQUIRE(threads <= 4);
  }
}

}  // namespace summand
