#include <doctest/doctest.h>

#include <string>

#include "against_reference.hpp"
#include "support/random_model.hpp"

namespace summand {

TEST_CASE("every composition with every position encoding agrees with double precision from end to end") {
  for (const auto& composition : model::typical_compositions(12)) {
    for (const auto& position : model::typical_positions({40, 12})) {
      model::Config config = test::config_of({.hidden = 12, .heads = 3, .positions = 40, .segments = 3});
      config.composition = composition;
      config.position = position;
      if (!model::validation_error(position, config.position_table_size()).empty()) continue;  // of an odd width
      INFO(std::string(model::name_of(composition)), " with positions ", std::string(model::name_of(position)));
      test::check_against_reference(config, {1, 40, 5, 17}, 2);
    }
  }
}

TEST_CASE("an input that is not normalised, and models without segments, agree with double precision") {
  for (const auto& composition : model::typical_compositions(12)) {
    for (const bool normalised : {true, false}) {
      model::Config config = test::config_of({.hidden = 12, .heads = 3, .positions = 40, .segments = 3});
      config.composition = composition;
      config.normalise_input = normalised;
      config.segment = model::SegmentKind::none;
      INFO(std::string(model::name_of(composition)), normalised);
      test::check_against_reference(config, {1, 40, 5, 17}, 2);
    }
  }
}

TEST_CASE("tables of other widths agree with double precision") {
  using model::Composition;
  for (const Composition& composition :
       {Composition(model::ConcatenateProject{.token_width = 7, .position_width = 4, .segment_width = 1}),
        Composition(model::ConcatenateProject{.position_width = 2}),
        Composition(model::Concatenate{.token_width = 9, .position_width = 2, .segment_width = 1})}) {
    for (const auto& position : model::typical_positions({40, 12})) {
      model::Config config = test::config_of({.hidden = 12, .heads = 3, .positions = 40, .segments = 3});
      config.composition = composition;
      config.position = position;
      if (!model::validation_error(position, config.position_table_size()).empty()) continue;  // of an odd width
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
