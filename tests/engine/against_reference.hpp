#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "engine/engine.hpp"
#include "reference/bert.hpp"
#include "support/random_model.hpp"

namespace summand::test {

/// The bound that the engine promises against double precision; a normalised state is of the order of 1.
constexpr double kEngineTolerance = 2e-5;

inline double worst_difference(MatrixView<const float> got, MatrixView<const double> want) {
  double worst = 0;
  for (size_t row = 0; row < want.rows(); ++row) {
    for (size_t column = 0; column < want.columns(); ++column) {
      const double difference = std::abs(static_cast<double>(got(row, column)) - want(row, column));
      worst = difference <= worst ? worst : difference;  // NaN becomes the worst
    }
  }
  return worst;
}

/// Every hidden state and the pooled output of a random model and batch, computed by `threads` threads, against the
/// readable forward pass in double precision.
inline void check_against_reference(const model::Config& config, const std::vector<size_t>& lengths, int threads) {
  const model::Weights weights = random_weights(config, model::Pooler::present, 21);
  const model::Batch batch = random_batch(config, lengths, 22);
  const engine::Engine engine(config, weights, {.threads = threads});
  const reference::Bert<double> exact(config, weights);
  std::vector<size_t> layers(static_cast<size_t>(config.num_hidden_layers) + 1);
  std::iota(layers.begin(), layers.end(), size_t{0});
  const auto states = engine::hidden_states(engine, batch, layers);
  const auto pooled = engine::pooled_output(engine, batch);
  double worst = 0;
  for (size_t text = 0; text < batch.texts(); ++text) {
    const auto want = exact.run(batch, text);
    for (const size_t layer : layers) {
      const auto rows = states[layer].view().middle_rows(batch.offsets[text], batch.length(text));
      worst = std::max(worst, worst_difference(rows, want.hidden_states[layer].view()));
    }
    const MatrixView<const double> want_pooled(want.pooled.data(), 1, want.pooled.size());
    worst = std::max(worst, worst_difference(pooled.view().middle_rows(text, 1), want_pooled));
  }
  INFO("hidden ", config.hidden_size, ", heads ", config.num_attention_heads, ", layers ", config.num_hidden_layers);
  CHECK(worst <= kEngineTolerance);
}

}  // namespace summand::test
