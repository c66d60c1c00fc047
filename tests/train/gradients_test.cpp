#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "arms.hpp"
#include "finite_differences.hpp"
#include "model/initialise.hpp"
#include "reference/bert.hpp"
#include "reference/heads.hpp"
#include "support/random_model.hpp"
#include "train/network/autocast.hpp"
#include "train/network/network.hpp"

// libtorch has macros of the same names, which end the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

// libtorch's pass beside the reference, and its gradients beside finite differences, both in double precision.

namespace summand {

namespace {

const train::Placement kDoubles{.type = at::kDouble};
constexpr double kRounding = 1e-11;

double difference(const at::Tensor& got, const Matrix<double>& want, int64_t first) {
  double worst = 0;
  const at::Tensor rows = got.detach().contiguous();
  for (size_t row = 0; row < want.rows(); ++row) {
    for (size_t column = 0; column < want.columns(); ++column) {
      const double number = rows[first + static_cast<int64_t>(row)][static_cast<int64_t>(column)].item<double>();
      worst = std::max(worst, std::abs(number - want(row, column)));
    }
  }
  return worst;
}

/// Σ sin(1 + i)·h_i over the last hidden state: every coordinate counts, and none as another.
at::Tensor batch_loss(const train::Network& network, const model::Batch& batch) {
  const at::Tensor last = network.run(batch).hidden_states.back();
  const at::Tensor weights = at::sin(1 + at::arange(last.numel(), last.options())).view_as(last);
  return (last * weights).sum();
}

}  // namespace

TEST_CASE("libtorch's pass is the reference's, in double precision, for every arm") {
  for (const auto& arm : test::single_arms()) {
    CAPTURE(arm.name);
    const auto weights = test::random_weights(arm.config, model::Pooler::present, 3);
    const auto batch = test::arm_batch(arm.config);
    const auto pass = train::Network(arm.config, {.pooler = model::Pooler::present}, weights, kDoubles).run(batch);
    const reference::Bert<double> exact(arm.config, weights);
    for (size_t text = 0; text < batch.texts(); ++text) {
      const auto want = exact.run(batch, text);
      for (size_t state = 0; state < want.hidden_states.size(); ++state) {
        CHECK(difference(pass.hidden_states[state], want.hidden_states[state],
                         static_cast<int64_t>(batch.offsets[text])) < kRounding);
      }
      const Matrix<double> pooled = [&] {
        Matrix<double> row(1, want.pooled.size());
        std::ranges::copy(want.pooled, row.row(0).begin());
        return row;
      }();
      CHECK(difference(pass.pooled, pooled, static_cast<int64_t>(text)) < kRounding);
    }
  }
}

TEST_CASE("gradients of every arm are those of finite differences, segment 1 and the last position among them") {
  for (const auto& arm : test::single_arms()) {
    CAPTURE(arm.name);
    const auto weights = test::random_weights(arm.config, model::Pooler::absent, 4);
    // The longest text, and one of both segments.
    const auto batch = test::random_batch(arm.config, {24, 5}, 77);
    const train::Network network(arm.config, {}, weights, kDoubles);
    batch_loss(network, batch).backward();
    test::check_gradients(network, [&] { return batch_loss(network, batch); });
  }
}

TEST_CASE("heads on libtorch are the reference's") {
  const model::Config config = test::plain_arm();
  const auto batch = test::arm_batch(config);
  const std::vector<size_t> tokens{0, 3, 7};
  for (const auto decoder : {model::Decoder::tied, model::Decoder::own}) {
    const model::ModelParts parts{.pooler = model::Pooler::present,
                                  .heads = {model::Head::masked_language, model::Head::next_sentence},
                                  .decoder = decoder};
    const auto weights = test::random_weights(config, parts, 6);
    const train::Network network(config, parts, weights, kDoubles);
    const auto pass = network.run(batch);
    const auto output = reference::Bert<double>(config, weights).run(batch, 2);
    const reference::Heads<double> heads(config, weights);
    const std::vector<size_t> of_batch{batch.offsets[2], batch.offsets[2] + 3, batch.offsets[2] + 7};
    const auto words = network.logits(model::Head::masked_language, pass, of_batch);
    CHECK(difference(words, heads.logits(model::Head::masked_language, output, tokens), 0) < kRounding);
    const auto pairs = network.logits(model::Head::next_sentence, pass);
    CHECK(difference(pairs, heads.logits(model::Head::next_sentence, output), 2) < kRounding);
  }
}

TEST_CASE("an arm's parameters are those of its contract, and of two arms what they share begins alike") {
  const auto plain = model::initialise(test::plain_arm(), {}, 5);
  for (const auto& arm : test::single_arms()) {
    CAPTURE(arm.name);
    const auto begun = model::initialise(arm.config, {}, 5);
    const train::Network network(arm.config, {}, begun);
    size_t count = 0;
    size_t contract = 0;
    for (const auto& [name, tensor] : network.parameters().all()) count += static_cast<size_t>(tensor.numel());
    for (const auto& parameter : model::parameters(arm.config, {})) contract += model::elements(parameter);
    CHECK(count == contract);
    for (const auto& [name, tensor] : begun) {
      const auto* other = plain.find(name);
      if (other == nullptr || other->shape != tensor.shape) continue;
      CAPTURE(name);
      CHECK(std::ranges::equal(model::to_floats(tensor), model::to_floats(*other)));
    }
  }
  CHECK_FALSE(std::ranges::equal(
      model::to_floats(plain.at("embeddings.word_embeddings.weight")),
      model::to_floats(model::initialise(test::plain_arm(), {}, 6).at("embeddings.word_embeddings.weight"))));
}

TEST_CASE("disjoint dimensions stay disjoint after a step of training, and what training leaves alone stays") {
  model::Config config = test::plain_arm();
  const model::Concatenate disjoint{.token_width = 6, .position_width = 4, .segment_width = 2};
  config.composition = disjoint;
  config.normalise_input = false;
  const auto batch = test::arm_batch(config);
  const train::Network network(config, {}, model::initialise(config, {}, 1), kDoubles);
  batch_loss(network, batch).backward();
  for (const auto& [name, tensor] : network.parameters().all()) tensor.detach().sub_(tensor.grad(), 0.1);
  const at::Tensor before = network.run(batch).hidden_states[0].detach().clone();
  network.parameters().at("embeddings.position_embeddings.weight").detach().add_(1);
  const at::Tensor moved = (network.run(batch).hidden_states[0] - before).abs().amax(0);
  for (int64_t column = 0; column < 12; ++column)
    CHECK((moved[column].item<double>() > 0) == (column >= 6 && column < 10));

  config = test::plain_arm();
  config.composition = model::OutsideTokens{.rank = 3};
  config.position = model::FixedPositions();
  const train::Network fixed(config, {}, model::initialise(config, {}, 1), kDoubles);
  CHECK_FALSE(fixed.parameters().at("embeddings.composition.token_directions.weight").requires_grad());
  CHECK_FALSE(fixed.parameters().at("embeddings.position_embeddings.weight").requires_grad());
}

TEST_CASE("in bf16 every table of positions is what it is in fp32: only products of rows are rounded") {
  for (const auto& arm : test::single_arms()) {
    if (arm.name.find("positions ") != 0) continue;
    CAPTURE(arm.name);
    auto config = arm.config;
    config.num_hidden_layers = 0;  // what is composed
    const auto weights = test::random_weights(config, model::Pooler::absent, 3);
    const auto batch = test::arm_batch(config);
    const train::Network network(config, {}, weights);
    const at::Tensor exact = network.run(batch).hidden_states.back().detach();
    const train::Autocast autocast(train::Precision::bf16, at::kCPU);
    const at::Tensor rounded = network.run(batch).hidden_states.back().detach();
    CHECK((exact - rounded).abs().max().item<double>() == 0);
  }
}

}  // namespace summand
