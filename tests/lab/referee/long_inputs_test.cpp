// Q3 and Q10 on checkpoints whose truth is known, and on rewritten ones.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/beyond_the_table/window_numbers.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/plant/rewritten_models.hpp"
#include "tests/lab/planted_model.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;
using planted::Ran;

TEST_CASE("Q3: a table of any rows sets the limit, and no text is judged for what is made beyond it") {
  for (const size_t rows : {32, 48, 80}) {
    for (const double size : {0.01, 1.0, 4.0}) {
      const auto ran = planted::run(
          beyond_the_table_experiment(),
          planted::checkpoint({rows, 32}, [&](planted::ThreeTables& tables) { tables.positions *= size; }));
      INFO(ran.verdicts.at("Q3").reason.en);
      CHECK(ran.observation("Q3") == Observation::holds);
      CHECK(ran.inference("Q3") == Inference::follows);
    }
  }
}

TEST_CASE("Q3: windows that the repeated table puts back into it are no better than any other place within the table") {
  // Positions drawn at random and long: each place is as unlike the others as can be.
  const auto ran =
      planted::outcome_of(beyond_the_table_experiment(),
                          planted::checkpoint({48, 32}, [](planted::ThreeTables& tables) { tables.positions *= 3; }),
                          {.seed = 5, .quick = false, .threads = 1});
  const auto& tiled = ran.findings.numbers.at("Q3").at("tokens_tiled");
  CAPTURE(tiled.value);
  CAPTURE(tiled.interval->low);
  CHECK(tiled.interval->low <= ran.findings.numbers.at("Q3").control("tokens_tiled"));
}

TEST_CASE("Q3, Q10: checkpoints that compute the same get the same verdicts") {
  auto sizes = planted::small_sizes();
  sizes.hidden = 32;
  const Subject source = planted::model_of(sizes, {});
  for (const auto& experiment : {beyond_the_table_experiment(), long_texts_experiment()}) {
    CAPTURE(experiment.name);
    const std::string claim = experiment.rules.front().claim;
    const Ran own = planted::run(experiment, source);
    REQUIRE(own.findings.numbers.contains(claim));
    for (const auto& [kind, name] : enum_names(PlantedModel{})) {
      if (!keeps_function(kind)) continue;
      CAPTURE(name);
      RandomStream stream(2, "referee: rewritten");
      const auto made = rewritten_model(kind, source.model->checkpoint(), {}, stream);
      const Ran other = planted::run(experiment, planted::loaded(made.config, made.weights));
      CHECK(other.observation(claim) == own.observation(claim));
      CHECK(other.inference(claim) == own.inference(claim));
      // What is drawn at random, by coordinates, is drawn anew among permuted ones.
      if (kind == PlantedModel::permuted) continue;
      for (const auto& number : own.findings.numbers.at(claim).all()) {
        CAPTURE(number.name);
        CHECK(other.value(claim, number.name) == doctest::Approx(number.value).epsilon(0.05));
      }
    }
  }
}

TEST_CASE("Q10: a question is no claim") {
  const auto ran = planted::run(long_texts_experiment(), planted::model_of(planted::small_sizes(), {}));
  CHECK(ran.observation("Q10") == Observation::not_judged);
  CHECK(ran.inference("Q10") == Inference::not_tested);
  CHECK(ran.findings.numbers.at("Q10").all().front().name == "cut_gain");
}
