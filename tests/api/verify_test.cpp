#include "api/inspection/verify.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/random_model.hpp"

using namespace summand;
using namespace summand::api;

namespace {

using model::Head;

/// A model with every head that can stand beside others, and texts for it.
struct Fixture {
  Fixture() { config.labels = model::numbered_labels(3); }

  model::Config config = test::config_of({.positions = 40});
  model::ModelParts parts{.pooler = model::Pooler::present,
                          .heads = {Head::masked_language, Head::next_sentence, Head::sequence_classification}};
  model::Weights weights = test::random_weights(config, parts, 3);
  model::Batch batch = test::random_batch(config, {1, 7, 40, 20}, 4);

  /// The report on an engine that was built from other weights than the reference.
  [[nodiscard]] VerifyReport report(const model::Weights& of_engine) const {
    const engine::Engine engine(config, of_engine, {.threads = 2});
    return verify({engine, config, weights, parts}, batch);
  }

  /// The weights with one element of a tensor moved.
  [[nodiscard]] model::Weights moved(const std::string& name, float by) const {
    model::Weights changed = weights;
    auto values = model::to_floats(weights.at(name));
    values.back() += by;
    changed.set(name, model::make_tensor(weights.at(name).shape, values));
    return changed;
  }
};

std::string first_wrong(const VerifyReport& report) {
  for (const auto& state : report.states) {
    if (!state.agrees()) return state.name;
  }
  return "none";
}

}  // namespace

TEST_CASE("an engine of the same weights agrees in every state") {
  const Fixture fixture;
  const auto report = fixture.report(fixture.weights);
  CHECK(report.agrees());
  CHECK(first_wrong(report) == "none");
  CHECK(report.texts == 4);
  CHECK(report.tokens == 68);
  std::vector<std::string> names;
  for (const auto& state : report.states) {
    names.push_back(state.name);
    CHECK(state.magnitude > 0.1);
    CHECK(state.engine > 0);
    CHECK(state.reference > 0);
  }
  CHECK(names == std::vector<std::string>{"hidden 0", "hidden 1", "hidden 2", "pooled", "masked language",
                                          "next sentence", "sequence classification"});
  CHECK(report.verdict().starts_with("The engine agrees with the reference: largest difference "));
}

TEST_CASE("one weight that differs is found, and the first state that it reaches is named") {
  const Fixture fixture;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"embeddings.LayerNorm.bias", "hidden 0"},         {"encoder.layer.0.attention.self.value.weight", "hidden 1"},
      {"encoder.layer.1.output.dense.bias", "hidden 2"}, {"pooler.dense.bias", "pooled"},
      {"cls.predictions.bias", "masked language"},       {"cls.predictions.transform.dense.weight", "masked language"},
      {"cls.seq_relationship.bias", "next sentence"},    {"classifier.weight", "sequence classification"},
  };
  for (const auto& [tensor, state] : cases) {
    const auto report = fixture.report(fixture.moved(tensor, 0.01F));
    CHECK_MESSAGE(!report.agrees(), tensor);
    CHECK(first_wrong(report) == state);
    CHECK(report.verdict().starts_with("The engine does not agree with the reference: " + state + " differs by "));
  }
}

TEST_CASE("a difference of 1e-4 is found where numbers are around one") {
  const Fixture fixture;
  CHECK(first_wrong(fixture.report(fixture.moved("encoder.layer.1.output.LayerNorm.bias", 1e-4F))) == "hidden 2");
}

TEST_CASE("what is not a number does not agree") {
  VerifiedState state{.name = "hidden 1", .engine = std::numeric_limits<double>::infinity()};
  CHECK_FALSE(state.agrees());
  const Fixture fixture;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(first_wrong(fixture.report(fixture.moved("encoder.layer.0.output.LayerNorm.bias", nan))) == "hidden 1");
}

TEST_CASE("what is allowed follows the error of single precision, and is never less than its least") {
  CHECK(VerifiedState{.name = "", .reference = 0}.allowed() == kVerifyTolerance);
  CHECK(VerifiedState{.name = "", .reference = 1e-3}.allowed() == kVerifyFactor * 1e-3);
}
