#include "model/fold.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "reference/bert.hpp"
#include "support/random_model.hpp"

namespace summand::model {

namespace {

Config small() {
  return test::config_of({.hidden = 12, .heads = 3, .intermediate = 20, .positions = 24, .segments = 3});
}

/// The largest difference of any hidden state, of texts that reach every segment and the last position.
double difference(const Config& config, const Weights& weights, const Folded& folded) {
  const auto batch = test::random_batch(config, {5, 24, 1}, 3);
  const reference::Bert<double> own(config, weights);
  const reference::Bert<double> plain(folded.config, folded.weights);
  double worst = 0;
  for (size_t text = 0; text < batch.texts(); ++text) {
    const auto one = own.run(batch, text);
    const auto other = plain.run(batch, text);
    for (size_t state = 0; state < one.hidden_states.size(); ++state) {
      const auto& a = one.hidden_states[state].elements();
      const auto& b = other.hidden_states[state].elements();
      for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("every sum of maps, with every table of positions, folds into three tables: equal to 1e-5") {
  size_t folds = 0;
  for (const auto& composition : typical_compositions(12)) {
    for (const auto& position : typical_positions({24, 12})) {
      for (const auto segment : {SegmentKind::learned, SegmentKind::none}) {
        Config config = small();
        config.composition = composition;
        config.position = position;
        config.segment = segment;
        CAPTURE(name_of(composition));
        CAPTURE(name_of(position));
        if (!validation_error(position, config.position_table_size()).empty()) continue;
        if (!fold_error(config, {}).empty()) continue;
        const auto weights = test::random_weights(config, Pooler::absent, 9);
        const Folded folded = fold(config, weights);
        CHECK(is_bert(folded.config));
        CHECK(difference(config, weights, folded) < 1e-5);
        for (const auto& parameter : parameters(folded.config, {})) CHECK(folded.weights.contains(parameter.name));
        CHECK(folded.weights.size() == parameters(folded.config, {}).size());
        ++folds;
      }
    }
  }
  CHECK(folds > 100);
}

TEST_CASE("a fold of another composition's rows is another model") {
  Config config = small();
  config.composition = ConcatenateProject();
  const auto weights = test::random_weights(config, Pooler::absent, 9);
  Config other = config;
  other.composition = ScaledSum();
  const Folded folded = fold(other, test::random_weights(other, Pooler::absent, 9));
  CHECK(difference(config, weights, folded) > 1e-2);
}

TEST_CASE("what is no sum of three tables is refused, with what it is") {
  Config config = small();
  config.composition = ScalarGate();
  CHECK(fold_error(config, {}) == "composition: expected one that is a sum of three maps, got 'scalar_gate'");
  config.composition = JointTable();
  CHECK_FALSE(fold_error(config, {}).empty());
  config.composition = ConcatenateProject();
  CHECK(fold_error(config, {}).empty());
  CHECK(fold_error(config, {.heads = {Head::masked_language}}).find("tied") != std::string::npos);
  CHECK(fold_error(config, {.heads = {Head::masked_language}, .decoder = Decoder::own}).empty());
  config.per_layer_inputs.token = true;
  CHECK(fold_error(config, {}).find("again") != std::string::npos);
  config = small();
  config.position = HierarchicalPositions();
  CHECK(fold_error(config, {}).find("hierarchical") != std::string::npos);
}

}  // namespace summand::model
