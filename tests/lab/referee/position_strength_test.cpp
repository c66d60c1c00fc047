// 4.9 on checkpoints whose truth is known, and on rewritten ones.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/plant/rewritten_models.hpp"
#include "lab/statistics/moments.hpp"
#include "tests/lab/planted_model.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;
using planted::Ran;

namespace {

Ran judged(const std::function<void(planted::ThreeTables&)>& plant) {
  return planted::run(position_strength_experiment(), planted::checkpoint({48, 24}, plant));
}

}  // namespace

TEST_CASE("4.9: where all rows but row 0 are one, their strength is nothing, and nothing is told") {
  const auto ran = judged([](planted::ThreeTables& tables) {
    const Table row = tables.positions.row(1);
    for (Index i = 1; i < tables.positions.rows(); ++i) tables.positions.row(i) = row;
    tables.positions.row(0) *= 20;
  });
  INFO(ran.verdicts.at("4.9").reason.en);
  // With row 0 kept nothing moves, not even where it must if there is anything: that is no sign of no connection.
  CHECK(ran.value("4.9", "moved_by_doubling") == doctest::Approx(0));
  CHECK(ran.observation("4.9") == Observation::cannot_be_told);
  // Row 0 alone moves much, and is what a figure of all rows would have judged by.
  CHECK(ran.value("4.9", "moved_by_doubling_all_rows") > 0.05);
}

TEST_CASE("4.9: a longer row 0 changes neither what is judged nor what words have") {
  const auto plain = judged([](planted::ThreeTables&) {});
  const auto longer = judged([](planted::ThreeTables& tables) { tables.positions.row(0) *= 5; });
  CHECK(plain.observation("4.9") == Observation::fails);
  CHECK(longer.observation("4.9") == plain.observation("4.9"));
  const auto words = [](const Ran& ran) { return ran.value("4.9", "moved_by_doubling_words"); };
  CHECK(words(longer) == doctest::Approx(words(plain)).epsilon(0.05));
}

TEST_CASE("4.9: checkpoints that compute the same get the same verdict, and the same numbers but for rounding") {
  const Subject source = planted::model_of(planted::small_sizes(), {});
  const Ran own = planted::run(position_strength_experiment(), source);
  for (const auto& [kind, rewriting] : enum_names(PlantedModel{})) {
    if (!keeps_function(kind)) continue;
    CAPTURE(rewriting);
    RandomStream stream(2, "referee: rewritten");
    const auto made = rewritten_model(kind, source.model->checkpoint(), {}, stream);
    const Ran other = planted::run(position_strength_experiment(), planted::loaded(made.config, made.weights));
    CHECK(other.observation("4.9") == own.observation("4.9"));
    CHECK(other.inference("4.9") == own.inference("4.9"));
    for (const char* name :
         {"moved_by_halving", "moved_by_doubling", "moved_by_doubling_all_rows", "moved_by_doubling_words",
          "position_share_of_norms", "position_share_of_logits", "output_doubling"}) {
      CAPTURE(name);
      CHECK(other.value("4.9", name) == doctest::Approx(own.value("4.9", name)).epsilon(0.02));
    }
  }
}
