#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "against_reference.hpp"
#include "support/attention_settings.hpp"
#include "support/random_model.hpp"

// What tells attention itself positions and segments, and the switches of self-attention. Run once for every
// instruction set.

namespace summand {

namespace {

model::Config small() {
  return test::config_of({.hidden = 12, .heads = 3, .layers = 3, .positions = 40, .segments = 3});
}

const std::vector<size_t> kLengths{1, 40, 5, 17};

/// The largest difference of the last hidden state from double precision, with positions as the batch has them.
double difference(const model::Config& config, const model::Batch& batch) {
  const model::Weights weights = test::random_weights(config, model::Pooler::absent, 7);
  const engine::Engine engine(config, weights);
  const std::vector<size_t> last{static_cast<size_t>(config.num_hidden_layers)};
  const auto got = engine::hidden_states(engine, batch, last);
  const auto want = reference::Bert<double>(config, weights).run(batch, 0);
  return test::worst_difference(got[0].view(), want.hidden_states.back().view());
}

}  // namespace

TEST_CASE("every encoding of positions inside attention agrees with double precision, beside a table and without one") {
  for (const auto& kind : test::attention_settings(small().positions_in_attention().sizes)) {
    for (const bool table : {true, false}) {
      model::Config config = small();
      config.position_attention = kind;
      if (!table) config.position = model::NoPositions();
      INFO(test::description(kind));
      test::check_against_reference(config, kLengths, 2);
    }
  }
}

TEST_CASE("every encoding of segments inside attention agrees with double precision, beside one of positions too") {
  for (const auto& kind : test::attention_settings(small().segments_in_attention().sizes)) {
    for (const model::AttentionKind& other :
         {model::AttentionKind(), model::AttentionKind(model::T5Bias{.buckets = 8, .max_distance = 12}),
          model::AttentionKind(model::Rotary()), model::AttentionKind(model::TupeAbsolute()), kind}) {
      model::Config config = small();
      if (!model::kind_error(other, config.positions_in_attention().sizes).empty()) continue;
      config.segment_attention = kind;
      config.position_attention = other;
      INFO(test::description(kind), " beside ", test::description(other));
      test::check_against_reference(config, kLengths, 2);
    }
  }
}

TEST_CASE("encodings inside attention take positions from the batch") {
  for (const auto& kind : test::attention_settings(small().positions_in_attention().sizes)) {
    model::Config config = small();
    config.position_attention = kind;
    config.position = model::NoPositions();
    model::Batch batch = test::random_batch(config, {9}, 2);
    for (size_t i = 0; i < 9; ++i) batch.positions[i] = static_cast<int32_t>(39 - 3 * i);
    INFO(test::description(kind));
    CHECK(difference(config, batch) <= test::kEngineTolerance);
    batch.positions[4] = batch.positions[0];
    CHECK(difference(config, batch) <= test::kEngineTolerance);
  }
}

TEST_CASE("every switch of self-attention agrees with double precision, alone and beside encodings") {
  using model::QueryKeyMaps;
  for (const auto& attention : {
           model::SelfAttention{.query_key = QueryKeyMaps::tied},
           model::SelfAttention{.query_key = QueryKeyMaps::none},
           model::SelfAttention{.value = false},
           model::SelfAttention{.query_key = QueryKeyMaps::none, .value = false, .scale = 0.1},
           model::SelfAttention{.scale = 1},
           model::SelfAttention{.causal = true},
       }) {
    for (const model::AttentionKind& kind :
         {model::AttentionKind(), model::AttentionKind(model::Alibi()), model::AttentionKind(model::Rotary()),
          model::AttentionKind(model::RelativeKeyQuery()), model::AttentionKind(model::ShawKeys())}) {
      model::Config config = small();
      config.attention = attention;
      config.position_attention = kind;
      INFO(test::description(kind), ", maps ", static_cast<int>(attention.query_key), ", value ", attention.value,
           ", scale ", attention.scale, ", causal ", attention.causal);
      test::check_against_reference(config, kLengths, 2);
    }
  }
}

TEST_CASE("parts that are added again before every layer agree with double precision") {
  for (const auto& inputs : {model::PerLayerInputs{.token = true}, model::PerLayerInputs{.position = true},
                             model::PerLayerInputs{.segment = true},
                             model::PerLayerInputs{.token = true, .position = true, .segment = true}}) {
    model::Config config = small();
    config.per_layer_inputs = inputs;
    INFO(inputs.token, inputs.position, inputs.segment);
    test::check_against_reference(config, kLengths, 2);
  }
}

}  // namespace summand
