#include "model/parameters.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.hpp"

using namespace summand::model;

namespace {

Config bert_base() {
  Config config;
  config.vocab_size = 30522;
  config.hidden_size = 768;
  config.num_hidden_layers = 12;
  config.num_attention_heads = 12;
  config.intermediate_size = 3072;
  config.max_position_embeddings = 512;
  config.type_vocab_size = 2;
  return config;
}

size_t count(const Config& config, Pooler pooler) {
  const auto list = parameters(config, {.pooler = pooler});
  return std::accumulate(list.begin(), list.end(), size_t{0},
                         [](size_t total, const Parameter& parameter) { return total + elements(parameter); });
}

}  // namespace

TEST_CASE("bert-base has the published number of parameters") {
  // transformers' BertModel(BertConfig()).num_parameters(), and without its pooler.
  CHECK(count(bert_base(), Pooler::present) == 109482240);
  CHECK(count(bert_base(), Pooler::absent) == 109482240 - (768 * 768 + 768));
}

TEST_CASE("no name is listed twice") {
  std::set<std::string> names;
  for (const auto& parameter : parameters(bert_base(), {.pooler = Pooler::present}))
    CHECK(names.insert(parameter.name).second);
  CHECK(names.size() == 199);
}

TEST_CASE("a model without learned positions has no position table") {
  for (const Position& position :
       {Position(SinusoidalPositions()), Position(PowerPositions()), Position(NoPositions())}) {
    Config config = bert_base();
    config.position = position;
    const auto list = parameters(config, {.pooler = Pooler::absent});
    CHECK(std::ranges::none_of(list, [](const Parameter& p) { return p.part == ParameterGroup::position_table; }));
  }
}

TEST_CASE("each arm has the parameters that its formula takes") {
  Config config = bert_base();
  const size_t plain = count(config, Pooler::absent);
  const auto more = [&](const Composition& composition) {
    config.composition = composition;
    return static_cast<int64_t>(count(config, Pooler::absent)) - static_cast<int64_t>(plain);
  };
  CHECK(more(ScaledSum()) == 3);
  CHECK(more(WeightedSum()) == 3 * 768);
  CHECK(more(ScalarGate()) == 3 * (3 * 768 + 1));
  CHECK(more(VectorGate()) == 3 * (3 * 768 * 768 + 768));
  CHECK(more(ConcatenateProject()) == 3 * 768 * 768);
  CHECK(more(Multiplicative()) == 0);
  CHECK(more(OutsideTokens{.rank = 96}) == 96 * 768);
  // Tables of their own widths.
  CHECK(more(Concatenate{.token_width = 512, .position_width = 208, .segment_width = 48}) ==
        30522 * (512 - 768) + 512 * (208 - 768) + 2 * (48 - 768));
  CHECK(more(ConcatenateProject{.token_width = 128}) == 30522 * (128 - 768) + 768 * (128 + 768 + 768));
  config.composition = Sum();
  config.normalise_input = false;
  CHECK(count(config, Pooler::absent) == plain - 2 * 768);
  config.segment = SegmentKind::none;
  CHECK(count(config, Pooler::absent) == plain - 2 * 768 - 2 * 768);
}

TEST_CASE("a decoder is tied to a token table as wide as the model alone") {
  Config config = bert_base();
  config.composition = ConcatenateProject{.token_width = 128};
  CHECK_NOTHROW(static_cast<void>(parameters(config, {.heads = {Head::masked_language}, .decoder = Decoder::own})));
  CHECK_THROWS_WITH_AS(
      static_cast<void>(parameters(config, {.heads = {Head::masked_language}, .decoder = Decoder::tied})),
      "[config] summand.composition_token_width: expected hidden_size (768) with a decoder that is "
      "tied to the token table, got 128",
      summand::ConfigError);
}

TEST_CASE("heads add what transformers counts for them") {
  const auto with_heads = [](std::vector<Head> heads, Decoder decoder, Pooler pooler) {
    const auto list = parameters(bert_base(), {.pooler = pooler, .heads = std::move(heads), .decoder = decoder});
    return std::accumulate(list.begin(), list.end(), size_t{0},
                           [](size_t total, const Parameter& parameter) { return total + elements(parameter); });
  };
  // num_parameters() of transformers' BertForPreTraining, BertForMaskedLM, BertForNextSentencePrediction and
  // BertForTokenClassification, BertForQuestionAnswering, each over BertConfig().
  CHECK(with_heads({Head::masked_language, Head::next_sentence}, Decoder::tied, Pooler::present) == 110106428);
  CHECK(with_heads({Head::masked_language}, Decoder::tied, Pooler::absent) == 109514298);
  CHECK(with_heads({Head::next_sentence}, Decoder::tied, Pooler::present) == 109483778);
  CHECK(with_heads({Head::token_classification}, Decoder::tied, Pooler::absent) == 108893186);
  CHECK(with_heads({Head::question_answering}, Decoder::tied, Pooler::absent) == 108893186);
  // A decoder of its own: [vocabulary, hidden] more. transformers counts the unused cls.predictions.bias as well.
  CHECK(with_heads({Head::masked_language}, Decoder::own, Pooler::absent) == 109514298 + 30522 * 768);
}
