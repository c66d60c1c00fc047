#include "train/finetune/labelled/window_encoding.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/window_bert.hpp"
#include "reference/bert.hpp"
#include "reference/window_encoder.hpp"
#include "support/random_model.hpp"
#include "train/finite_differences.hpp"

// libtorch has a CHECK of its own, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

// Training's transformer over windows in double precision, beside the reference and beside finite differences.

namespace summand {

namespace {

const train::Placement kDoubles{.type = at::kDouble};
constexpr double kRounding = 1e-11;
constexpr size_t kLabels = 3;

struct WindowModel {
  WindowModel() : config(test::config_of({.positions = 24})) {
    config.labels = model::numbered_labels(kLabels);
    config.window_encoder = {.layers = 2, .most_windows = 5};
    weights = test::random_weights(config, parts, 6);
  }
  model::ModelParts parts{.pooler = model::Pooler::present, .heads = {model::Head::sequence_classification}};
  model::Config config;
  model::Weights weights;
};

/// A row of windows of these lengths; of one length, a whole row.
train::EncodedRow row_of(const model::Config& config, const std::vector<size_t>& lengths, uint32_t seed) {
  const model::Batch batch = test::random_batch(config, lengths, seed);
  train::EncodedRow row;
  for (size_t text = 0; text < batch.texts(); ++text) {
    const auto begin = static_cast<std::ptrdiff_t>(batch.offsets[text]);
    const auto end = static_cast<std::ptrdiff_t>(batch.offsets[text + 1]);
    train::RowWindow& window = row.windows.emplace_back();
    window.ids.assign(batch.ids.begin() + begin, batch.ids.begin() + end);
    window.segments.assign(batch.segments.begin() + begin, batch.segments.begin() + end);
  }
  if (lengths.size() > 1) return row;
  row.ids = row.windows.front().ids;
  row.segments = row.windows.front().segments;
  row.windows.clear();
  return row;
}

/// Rows of one window, of as many as the model reads, and of some.
std::vector<train::EncodedRow> some_rows(const model::Config& config) {
  return {row_of(config, {7}, 1), row_of(config, {24, 24, 3, 24, 9}, 2), row_of(config, {5, 12}, 3)};
}

const std::vector<size_t> kChosen{1, 2, 0};

/// [rows, labels]
at::Tensor logits_of(const train::Network& network, const std::vector<train::EncodedRow>& rows) {
  const model::Batch batch = train::batch_of(rows, kChosen);
  const std::vector<size_t> first(batch.offsets.begin(), batch.offsets.end() - 1);
  const at::Tensor vectors = network.last_rows(network.run(batch, nullptr, first), first);
  return train::encoded_windows(network, vectors, rows, kChosen, nullptr);
}

/// Σ sin(1 + i)·logit_i: every logit counts, and none as another.
at::Tensor loss_of(const train::Network& network, const std::vector<train::EncodedRow>& rows) {
  const at::Tensor logits = logits_of(network, rows);
  return (logits * at::sin(1 + at::arange(logits.numel(), logits.options())).view_as(logits)).sum();
}

}  // namespace

TEST_CASE("logits of rows are the reference's of their windows, in double precision") {
  const WindowModel model;
  const auto rows = some_rows(model.config);
  const train::Network network(model.config, model.parts, model.weights, kDoubles);
  const at::Tensor logits = logits_of(network, rows).detach().contiguous();
  REQUIRE((logits.scalar_type() == at::kDouble));
  const reference::Bert<double> bert(model.config, model.weights);
  const reference::WindowEncoder<double> encoder(model.config, model.weights);
  for (size_t i = 0; i < kChosen.size(); ++i) {
    const std::vector<size_t> own{kChosen[i]};
    const model::Batch windows = train::batch_of(rows, own);
    Matrix<double> vectors(windows.texts(), static_cast<size_t>(model.config.hidden_size));
    for (size_t window = 0; window < windows.texts(); ++window) {
      std::ranges::copy(bert.run(windows, window).hidden_states.back().row(0), vectors.row(window).begin());
    }
    const Matrix<double> want = encoder.logits(vectors);
    for (size_t label = 0; label < kLabels; ++label) {
      const double got = logits[static_cast<int64_t>(i)][static_cast<int64_t>(label)].item<double>();
      CHECK(std::abs(got - want(0, label)) < kRounding);
    }
  }
}

TEST_CASE("gradients of both transformers, the pooler and the classifier are those of finite differences") {
  const WindowModel model;
  const auto rows = some_rows(model.config);
  const train::Network network(model.config, model.parts, model.weights, kDoubles);
  loss_of(network, rows).backward();
  size_t of_windows = 0;
  for (const auto& [name, tensor] : network.parameters().all()) {
    CHECK(tensor.requires_grad());
    if (name.starts_with(model::kWindowEncoderPrefix)) ++of_windows;
  }
  test::check_gradients(network, [&] { return loss_of(network, rows); });
  CHECK(of_windows == 3 + 2 * 16);
}

}  // namespace summand
