#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "model/quantization.hpp"
#include "model/taps.hpp"
#include "reference/bert.hpp"
#include "support/attention_settings.hpp"
#include "support/random_model.hpp"

// The engine in bf16 and int8 beside the reference in double precision. Run once for every instruction set.

namespace summand {

namespace {

using engine::Precision;

/// Root mean square of the difference of the last hidden state, over the root mean square of the state, about 1. Random
/// weights spread roundings evenly: measured .0027 to .0035 in bf16 and .010 to .014 in int8, allowed twice as much.
double allowed(Precision precision) {
  return precision == Precision::bf16 ? 0.007 : 0.028;
}

bool runs_here(Precision precision) {
  return engine::runs(precision, engine::chosen_kernel_set());
}

/// @return root mean square difference of all last hidden states
double difference(const model::Config& config, const model::Weights& weights, const model::Batch& batch,
                  engine::EngineOptions options) {
  const engine::Engine engine(config, weights, options);
  const reference::Bert<double> exact(config, weights);
  const std::vector<size_t> last{static_cast<size_t>(config.num_hidden_layers)};
  const auto states = engine::hidden_states(engine, batch, last);
  double squares = 0;
  double count = 0;
  for (size_t text = 0; text < batch.texts(); ++text) {
    const auto want = exact.run(batch, text).hidden_states[last[0]];
    const auto got = states[0].view().middle_rows(batch.offsets[text], batch.length(text));
    for (size_t row = 0; row < want.rows(); ++row) {
      for (size_t column = 0; column < want.columns(); ++column) {
        squares += std::pow(static_cast<double>(got(row, column)) - want(row, column), 2);
        ++count;
      }
    }
  }
  return std::sqrt(squares / count);
}

}  // namespace

TEST_CASE("bf16 and int8 stay near the reference, whatever the shape, the lengths and the activation") {
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    if (!runs_here(precision)) continue;
    for (const auto& [activation, name] : enum_names(model::Activation{})) {
      for (const auto& sizes : {test::Sizes{.hidden = 64, .heads = 4, .intermediate = 200, .layers = 3},
                                test::Sizes{.hidden = 30, .heads = 2, .intermediate = 77},
                                test::Sizes{.hidden = 384, .heads = 12, .intermediate = 1536, .layers = 2}}) {
        // The reference of the largest takes most of the time, and the other shapes have every activation.
        if (sizes.hidden == 384 && activation != model::Activation::gelu) continue;
        model::Config config = test::config_of(sizes);
        config.hidden_act = activation;
        const auto weights = test::random_weights(config, model::Pooler::absent, 21);
        const auto batch = test::random_batch(config, {1, 2, 17, 40, 130}, 22);
        INFO(std::string(model::name_of(precision)), ", hidden ", config.hidden_size, ", ", std::string(name));
        const double got = difference(config, weights, batch, {.threads = 2, .precision = precision});
        CHECK(got <= allowed(precision));
        CHECK(got > 1e-5);  // it is not fp32 that ran
      }
    }
  }
}

TEST_CASE(
    "bf16 and int8 stay near the reference with every composition, every encoding inside attention and every switch") {
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    if (!runs_here(precision)) continue;
    const auto check = [&](const model::Config& config) {
      const auto weights = test::random_weights(config, model::Pooler::absent, 21);
      const auto batch = test::random_batch(config, {1, 2, 17, 40}, 22);
      CHECK(difference(config, weights, batch, {.threads = 2, .precision = precision}) <= allowed(precision));
    };
    const model::Config plain = test::config_of({.hidden = 64, .heads = 4, .intermediate = 200, .positions = 40});
    for (const auto& kind : test::attention_settings(plain.positions_in_attention().sizes)) {
      INFO(std::string(model::name_of(precision)), ", ", test::description(kind));
      model::Config config = plain;
      config.position_attention = kind;
      check(config);
      config.position_attention = model::AttentionKind();
      if (!model::kind_error(kind, config.segments_in_attention().sizes).empty()) continue;
      config.segment_attention = kind;
      check(config);
    }
    test::for_each_composition(plain, [&](const model::Config& config) {
      INFO(std::string(model::name_of(precision)), ", ", std::string(model::name_of(config.composition)));
      check(config);
    });
    for (const auto& attention : {model::SelfAttention{.query_key = model::QueryKeyMaps::none, .value = false},
                                  model::SelfAttention{.query_key = model::QueryKeyMaps::tied, .scale = 0.1},
                                  model::SelfAttention{.causal = true}}) {
      model::Config config = plain;
      config.attention = attention;
      INFO(std::string(model::name_of(precision)), ", causal ", attention.causal, ", value ", attention.value);
      check(config);
    }
    model::Config config = plain;
    config.per_layer_inputs = {.token = true, .position = true, .segment = true};
    check(config);
  }
}

TEST_CASE("int8 of a quantised weight is int8 of the weight that it was made of") {
  if (!runs_here(Precision::int8)) return;
  const model::Config config = test::config_of({.hidden = 64, .heads = 4, .intermediate = 200});
  const auto weights = test::random_weights(config, model::Pooler::absent, 5);
  model::Weights rounded;
  for (const auto& [name, tensor] : weights) {
    const bool dense = name.find("dense.weight") != std::string::npos || name.find("self.") != std::string::npos;
    if (!dense || tensor.shape.size() != 2) {
      rounded.set(name, tensor);
      continue;
    }
    const auto quantised = model::quantize_weight(tensor);
    std::vector<float> values(tensor.elements());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = quantised.scales[i / quantised.in] * static_cast<float>(quantised.values[i]);
    }
    rounded.set(name, model::make_tensor(tensor.shape, values));
  }
  const auto batch = test::random_batch(config, {20, 7}, 22);
  const auto last = [&](const model::Weights& of) {
    const engine::Engine engine(config, of, {.threads = 1, .precision = Precision::int8});
    const std::vector<size_t> layers{static_cast<size_t>(config.num_hidden_layers)};
    const auto states = engine::hidden_states(engine, batch, layers);
    return std::vector<float>(states[0].elements().begin(), states[0].elements().end());
  };
  const auto first = last(weights);
  const auto second = last(rounded);
  for (size_t i = 0; i < first.size(); ++i) CHECK(first[i] == doctest::Approx(second[i]).epsilon(1e-4));
}

TEST_CASE("a precision without native products is refused with what it needs") {
  const model::Config config = test::config_of({.hidden = 64, .heads = 4, .intermediate = 200});
  const auto weights = test::random_weights(config, model::Pooler::absent, 5);
  const std::string has(engine::chosen_kernel_set().name);
  const auto load = [&](Precision precision) {
    engine::Engine(config, weights, {.threads = 1, .precision = precision});
  };
  CHECK_NOTHROW(load(Precision::fp32));
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    if (runs_here(precision)) continue;
    std::string sets;
    for (const auto& set : engine::kernel_sets()) {
      if (engine::runs(precision, set)) sets += (sets.empty() ? "" : ", ") + std::string(set.name);
    }
    CHECK_THROWS_WITH_AS(load(precision),
                         fmt::format("[precision] {}: expected kernels with products of it ({}), this run has {}; fp32 "
                                     "runs everywhere",
                                     model::name_of(precision), sets, has)
                             .c_str(),
                         UsageError);
  }
}

TEST_CASE("an engine says its precision, and attention's") {
  static constexpr std::array preferences{
      engine::Preference{.is_kind = [] { return false; }, .reason = "another kind of processor"},
      engine::Preference{
          .floating = Precision::bf16, .int8_attention = Precision::bf16, .reason = "every kind of processor"},
      engine::Preference{.reason = "comes too late"}};
  const engine::KernelSet all{.name = "all",
                              .single_precision = &engine::generic::kKernels,
                              .bf16 = &engine::generic::kBf16Kernels,
                              .int8 = &engine::generic::kInt8Kernels,
                              .preferences = preferences};
  CHECK(engine::preference(all).reason == "every kind of processor");
  const engine::KernelSet bytes{
      .name = "bytes", .single_precision = &engine::generic::kKernels, .int8 = &engine::generic::kInt8Kernels};
  const auto described = [](Precision precision, const engine::KernelSet& set) {
    return engine::describe(precision, engine::attention_precision(precision, set));
  };
  CHECK(described(Precision::fp32, all) == "fp32");
  CHECK(described(Precision::bf16, all) == "bf16");
  CHECK(described(Precision::int8, all) == "int8, attention in bf16");
  CHECK(described(Precision::int8, bytes) == "int8, attention in fp32");
  CHECK(engine::describe(Precision::bf16, Precision::fp32) == "bf16, attention in fp32");
  for (const auto& [precision, name] : enum_names(Precision{})) {
    if (!runs_here(precision)) continue;
    const model::Config config = test::config_of({.hidden = 64, .heads = 4, .intermediate = 200});
    const engine::Engine engine(config, test::random_weights(config, model::Pooler::absent, 5),
                                {.threads = 1, .precision = precision});
    CHECK(engine.precision() == precision);
    CHECK(engine.run(test::random_batch(config, {3}, 1), {.hidden_states = {1}}).precision == precision);
  }
}

TEST_CASE("taps are for fp32") {
  if (!runs_here(Precision::bf16)) return;
  const model::Config config = test::config_of({.hidden = 64, .heads = 4, .intermediate = 200});
  const engine::Engine engine(config, test::random_weights(config, model::Pooler::absent, 5),
                              {.threads = 1, .precision = Precision::bf16});
  struct NoTaps : model::Taps<float> {
    bool wants(model::TapPoint) const override { return false; }
    void visit(const model::TapSite&, MatrixView<float>) override {}
  } taps;
  CHECK_THROWS_WITH_AS(engine.run(test::random_batch(config, {3}, 1), {.hidden_states = {1}, .taps = &taps}),
                       "[engine] taps: expected an engine in fp32, got bf16", UsageError);
}

}  // namespace summand
