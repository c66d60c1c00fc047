#include "engine/window_encoder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "engine/against_reference.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "model/window_bert.hpp"
#include "reference/window_encoder.hpp"
#include "support/random_model.hpp"

namespace summand {

namespace {

/// Logits are sums over the hidden size of states that are each within the engine's tolerance.
constexpr double kLogitTolerance = 10 * test::kEngineTolerance;

struct EncodingModel {
  explicit EncodingModel(const test::Sizes& sizes, int64_t layers = 2) : config(test::config_of(sizes)) {
    config.labels = model::numbered_labels(3);
    config.window_encoder = {.layers = layers, .most_windows = 9};
    weights = test::random_weights(
        config, {.pooler = model::Pooler::present, .heads = {model::Head::sequence_classification}}, 5);
  }
  model::Config config;
  model::Weights weights;
};

Matrix<float> random_vectors(size_t windows, size_t hidden) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  Matrix<float> vectors(windows, hidden);
  for (float& x : vectors.elements()) x = normal(random);
  return vectors;
}

}  // namespace

TEST_CASE("logits of windows are the reference's, with the same bits alone and among others") {
  for (const test::Sizes& sizes : {test::Sizes(), test::Sizes{.hidden = 64, .heads = 4, .intermediate = 130}}) {
    for (const int64_t layers : {1, 3}) {
      const EncodingModel model(sizes, layers);
      const auto hidden = static_cast<size_t>(sizes.hidden);
      const engine::WindowEncoder encoder(model.config, model.weights);
      const reference::WindowEncoder<double> exact(model.config, model.weights);
      const std::vector<size_t> offsets{0, 1, 10, 12, 13, 20};
      const Matrix<float> vectors = random_vectors(offsets.back(), hidden);
      const Matrix<float> logits = encoder.logits(vectors.view(), offsets);
      REQUIRE(logits.rows() == 5);
      for (size_t text = 0; text < logits.rows(); ++text) {
        const auto own = vectors.view().middle_rows(offsets[text], offsets[text + 1] - offsets[text]);
        Matrix<double> doubles(own.rows(), hidden);
        for (size_t row = 0; row < own.rows(); ++row) std::ranges::copy(own.row(row), doubles.row(row).begin());
        const Matrix<double> want = exact.logits(doubles);
        CHECK(test::worst_difference(logits.view().middle_rows(text, 1), want.view()) <= kLogitTolerance);
        const std::array<size_t, 2> alone{0, own.rows()};
        const Matrix<float> again = encoder.logits(own, alone);
        CHECK(std::ranges::equal(again.row(0), logits.row(text)));
      }
    }
  }
}

TEST_CASE("the order of windows matters, and more of them than the model may read are refused") {
  const EncodingModel model({});
  const engine::WindowEncoder encoder(model.config, model.weights);
  Matrix<float> vectors = random_vectors(10, 12);
  const std::array<size_t, 2> offsets{0, 3}, all{0, 10};
  const Matrix<float> logits = encoder.logits(vectors.view(), offsets);
  std::swap_ranges(vectors.row(0).begin(), vectors.row(0).end(), vectors.row(2).begin());
  const Matrix<float> swapped = encoder.logits(vectors.view(), offsets);
  CHECK_FALSE(std::ranges::equal(logits.row(0), swapped.row(0)));
  CHECK_THROWS_AS((void)encoder.logits(vectors.view(), all), TextError);
}

TEST_CASE("its parameters are those of a BERT without a token table, and the model's own pooler and classifier") {
  const EncodingModel model({}, 1);
  const auto own = model::window_encoder_parameters(model.config);
  CHECK(own.size() == 1 + 2 + 16);
  CHECK(own.front().name == "window_encoder.embeddings.position_embeddings.weight");
  CHECK(own.front().shape == std::vector<size_t>{10, 12});
  CHECK(std::ranges::all_of(
      own, [](const model::Parameter& parameter) { return parameter.part == model::ParameterGroup::window_encoder; }));
  model::Weights less = model.weights;
  less.erase("window_encoder.encoder.layer.0.output.dense.bias");
  CHECK_THROWS_AS(engine::WindowEncoder(model.config, less), CheckpointError);
}

TEST_CASE("first states are the first rows of the last hidden state, in every precision") {
  const model::Config config = test::config_of({.hidden = 64, .heads = 4, .intermediate = 130, .layers = 3});
  const model::Weights weights = test::random_weights(config, model::Pooler::present, 3);
  const model::Batch batch = test::random_batch(config, {1, 30, 7, 64, 12}, 4);
  for (const auto precision :
       {engine::Precision::fp32, engine::Precision::bf16, engine::Precision::fp16, engine::Precision::int8}) {
    if (!engine::runs(precision, engine::chosen_kernel_set())) continue;
    const engine::Engine engine(config, weights, {.threads = 3, .precision = precision});
    const Matrix<float> first = engine::first_states(engine, batch);
    const std::vector<size_t> last{3};
    const Matrix<float> all = engine::hidden_states(engine, batch, last).front();
    for (size_t text = 0; text < batch.texts(); ++text) {
      CHECK(std::ranges::equal(first.row(text), all.row(batch.offsets[text])));
    }
  }
}

}  // namespace summand
