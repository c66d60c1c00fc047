#include <doctest/doctest.h>

#include <string>

#include "against_reference.hpp"

namespace summand {

TEST_CASE("every composition with every position encoding agrees with double precision from end to end") {
  for (const auto& composition : model::enum_names(model::InputComposition{})) {
    for (const auto& [kind, name] : model::enum_names(model::PositionKind{})) {
      const auto site = model::site_of(kind);
      if (site == model::PositionSite::scores || site == model::PositionSite::query_and_key) continue;
      model::Config config = test::config_of({.hidden = 12, .heads = 3, .positions = 40, .segments = 3});
      config.composition = composition.value;
      config.position.kind = kind;
      INFO(std::string(composition.name), " with positions ", std::string(name));
      test::check_against_reference(config, {1, 40, 5, 17}, 2);
    }
  }
}

TEST_CASE("positions are taken from the batch") {
  const model::Config config = test::config_of({.positions = 50});
  const model::Weights weights = test::random_weights(config, model::Pooler::absent, 1);
  const engine::Engine engine(config, weights);
  model::Batch batch = test::random_batch(config, {9}, 2);
  for (size_t i = 0; i < 9; ++i) batch.positions[i] = static_cast<int32_t>(49 - 3 * i);
  const std::vector<size_t> layers{2};
  const auto got = engine::hidden_states(engine, batch, layers);
  const auto want = reference::Bert<double>(config, weights).run(batch, 0);
  CHECK(test::worst_difference(got[0].view(), want.hidden_states[2].view()) <= test::kEngineTolerance);
}

}  // namespace summand
