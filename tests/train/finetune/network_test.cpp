#include "train/network/network.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/random_model.hpp"
#include "train/finetune/layer_depth.hpp"

// libtorch has a CHECK of its own, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

namespace summand {

namespace {

constexpr int64_t kHidden = 24;

model::ModelParts parts_of(model::Head head) {
  return {.pooler = model::Pooler::present, .heads = {head}};
}

/// A classifier that says what it reads: as many labels as coordinates, and the identity as its matrix.
train::Network reading_network(const model::Config& config, model::Head head) {
  model::Weights weights = test::random_weights(config, parts_of(head), 1);
  std::vector<float> identity(kHidden * kHidden), zeros(kHidden);
  for (size_t i = 0; i < kHidden; ++i) identity[i * kHidden + i] = 1;
  weights.set("classifier.weight", model::make_tensor({kHidden, kHidden}, identity));
  weights.set("classifier.bias", model::make_tensor({kHidden}, zeros));
  return {config, parts_of(head), weights};
}

model::Config config_of() {
  model::Config config = test::config_of({.hidden = kHidden});
  config.labels = model::numbered_labels(kHidden);
  return config;
}

}  // namespace

TEST_CASE(
    "what a classifier reads is dropped by classifier_dropout, else by hidden_dropout_prob, and nothing else is") {
  for (const auto head : {model::Head::sequence_classification, model::Head::token_classification}) {
    for (const auto own : {std::optional(0.5), std::optional<double>()}) {
      model::Config config = config_of();
      config.hidden_dropout_prob = own ? 0 : 0.5;
      config.attention_probs_dropout_prob = 0;
      config.classifier_dropout = own;
      const train::Network network = reading_network(config, head);
      const auto pass = network.run(test::random_batch(config, {200, 90, 3}, 2));
      const at::Tensor whole = network.logits(head, pass);
      const train::Dropout dropout(config, 7, 1), another(config, 7, 2);
      const at::Tensor read = network.logits(head, pass, {}, &dropout);
      const at::Tensor dropped = read.eq(0);
      CHECK(at::equal(read, at::where(dropped, at::zeros_like(whole), 2 * whole)));
      const auto share = dropped.to(at::kFloat).mean().item<double>();
      CHECK(share == doctest::Approx(0.5).epsilon(0.35));  // of at least 72 numbers
      CHECK(at::equal(read, network.logits(head, pass, {}, &dropout)));
      CHECK(!at::equal(read, network.logits(head, pass, {}, &another)));
    }
  }
}

TEST_CASE("the depth of a parameter decides its rate, and whether it is frozen") {
  const model::Config config = config_of();  // two layers
  const train::Network network = reading_network(config, model::Head::sequence_classification);
  const auto rate = train::layer_rates(0.5, config);
  train::freeze(network.parameters(), 1, config);
  CHECK(!train::layer_rates(1, config));
  for (const auto& [name, depth] :
       std::vector<std::pair<std::string, int>>{{"embeddings.word_embeddings.weight", 0},
                                                {"embeddings.LayerNorm.bias", 0},
                                                {"encoder.layer.0.attention.self.query.weight", 1},
                                                {"encoder.layer.1.output.LayerNorm.bias", 2},
                                                {"pooler.dense.weight", 3},
                                                {"classifier.bias", 3}}) {
    CAPTURE(name);
    CHECK(train::depth_of(name, config) == depth);
    CHECK(rate(name) == std::pow(0.5, 3 - depth));
    CHECK(network.parameters().at(name).requires_grad() == (depth > 1));
  }
}

}  // namespace summand
