#include "train/pretrain/objective.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/initialise.hpp"
#include "small_tokens.hpp"
#include "support/random_model.hpp"
#include "train/data/write_tokens.hpp"

// libtorch has a CHECK of its own, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

namespace summand {

namespace {

std::string words() {
  std::string text;
  for (int i = 0; i < 1200; ++i)
    text += std::string(1, static_cast<char>('a' + i * i % 23)) + (i % 9 == 8 ? "\n" : " ");
  return text.substr(0, text.size() / 2) + "\n\n" + text.substr(text.size() / 2);
}

model::ModelParts both_heads() {
  return {.pooler = model::Pooler::present, .heads = {model::Head::masked_language, model::Head::next_sentence}};
}

void clear(const train::Network& network) {
  for (const auto& [name, tensor] : network.parameters().all()) tensor.mutable_grad() = at::Tensor();
}

}  // namespace

TEST_CASE("gradients gathered over pieces of the vocabulary's rows are those of all at once") {
  const test::Folder folder;
  const auto tokenizer = test::small_tokenizer(folder.path() / "tokenizer");
  const auto ids = train::SpecialIds::of(tokenizer);
  train::DocumentReader reader({folder.write("texts.txt", words()).string()});
  (void)train::write_tokens(reader, tokenizer, folder.path() / "tokens", "words", 1);
  const auto file = train::TokenFile::open(folder.path() / "tokens", tokenizer.vocabulary_size());
  train::SequenceRules rules{.examples = {.length = 64, .pairs = train::Pairs::next_sentence}};
  rules.masks.predict_rate = rules.masks.corrupt_rate = 0.5;
  const auto batch = train::BatchStream(file, ids, rules, 1).next(800);
  REQUIRE(batch.predicted.size() > 300);  // three pieces of 128

  model::Config config = test::config_of({.hidden = 16,
                                          .heads = 2,
                                          .intermediate = 32,
                                          .layers = 2,
                                          .positions = 64,
                                          .segments = 2,
                                          .vocabulary = static_cast<int64_t>(tokenizer.vocabulary_size())});
  config.initializer_range = 0.2;
  const train::Network network(config, both_heads(), model::initialise(config, both_heads(), 3), {.type = at::kDouble});
  const train::Denominators of{.predicted = 2 * batch.predicted.size(), .pairs = 3 * batch.pair_labels.size()};

  const train::Loss whole = train::batch_loss(network, batch, of);
  whole.share.backward();
  std::vector<at::Tensor> gradients;
  for (const auto& [name, tensor] : network.parameters().all()) gradients.push_back(tensor.grad().clone());
  clear(network);

  const auto sums = train::accumulate_gradients(network, batch, of, nullptr, train::Precision::fp32);
  CHECK(sums.masked_loss == doctest::Approx(whole.sums.masked_loss));
  CHECK(sums.masked_right == whole.sums.masked_right);
  CHECK(sums.predicted == whole.sums.predicted);
  CHECK(sums.pair_loss == whole.sums.pair_loss);
  CHECK(sums.pairs == batch.pair_labels.size());
  const auto follow_not = static_cast<double>(std::ranges::count(batch.pair_labels, train::kFollowsNot));
  const double share = follow_not / static_cast<double>(sums.pairs);
  CHECK(sums.pair_base_rate() == doctest::Approx(std::max(share, 1 - share)));
  size_t i = 0;
  for (const auto& [name, tensor] : network.parameters().all()) {
    CAPTURE(name);
    const double apart = (tensor.grad() - gradients[i]).abs().max().item<double>();
    CHECK(apart <= 1e-5 * (gradients[i].abs().max().item<double>() + 1e-3));  // the losses are in single precision
    ++i;
  }
}

TEST_CASE("pairs alone are learned from where nothing is predicted, and a step of neither changes nothing") {
  const test::Folder folder;
  const auto tokenizer = test::small_tokenizer(folder.path() / "tokenizer");
  const model::Config config = test::config_of({.hidden = 8,
                                                .heads = 2,
                                                .intermediate = 8,
                                                .layers = 1,
                                                .positions = 16,
                                                .segments = 2,
                                                .vocabulary = static_cast<int64_t>(tokenizer.vocabulary_size())});
  const train::Network network(config, both_heads(), model::initialise(config, both_heads(), 3));
  train::MaskedBatch batch;
  batch.batch.add(std::vector<int32_t>{2, 6, 3}, std::vector<int32_t>{0, 0, 0});
  CHECK(train::accumulate_gradients(network, batch, {}, nullptr, train::Precision::fp32).loss() == 0);
  CHECK(!network.parameters().at("cls.seq_relationship.weight").grad().defined());
  batch.pair_labels = {1};
  const auto sums =
      train::accumulate_gradients(network, batch, {.predicted = 0, .pairs = 1}, nullptr, train::Precision::fp32);
  CHECK(sums.pair_loss > 0);
  CHECK(sums.pair_base_rate() == 1);
  train::LossSums more = sums;
  more += train::LossSums{.pairs = 3};
  CHECK(more.pair_base_rate() == 0.75);
  CHECK(std::isfinite(sums.loss()));
  CHECK(network.parameters().at("cls.seq_relationship.weight").grad().abs().sum().item<double>() > 0);
}

}  // namespace summand
