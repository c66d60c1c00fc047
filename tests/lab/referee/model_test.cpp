// Q1, Q4 to Q7, Q9, 3.3 and 4.1 on checkpoints whose truth is known.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/plant/planted_tables.hpp"
#include "lab/plant/rewritten_models.hpp"
#include "lab/statistics/linear_erasure.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"
#include "lab/subject/table_of.hpp"
#include "model/config.hpp"
#include "support/random_model.hpp"
#include "tests/lab/attention_subject.hpp"
#include "tests/lab/planted.hpp"
#include "tests/lab/planted_model.hpp"
#include "tests/lab/planted_subject.hpp"
#include "tests/lab/planted_weights.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;
using planted::Encoder;
using planted::Parameters;
using planted::Ran;
using planted::run;

namespace {

const model::ModelParts kTied{.pooler = model::Pooler::present, .heads = {model::Head::masked_language}};
const model::ModelParts kOwn{.heads = {model::Head::masked_language}, .decoder = model::Decoder::own};

const Subject& tied() {
  static const Subject subject = planted::model_checkpoint(kTied, [](Parameters&) {});
  return subject;
}

/// What computes the same.
Subject rewritten(PlantedModel kind, const Subject& source) {
  RandomStream stream(2, "referee: rewritten");
  const auto made = rewritten_model(kind, source.model->checkpoint(), {.unreached = unreached_ids(source)}, stream);
  return planted::loaded(made.config, made.weights);
}

/// Normalisations that divide every token by the same number: √ε.
void affine_normalisations(Parameters& parameters) {
  parameters.config.layer_norm_eps = 1e6;
  parameters.change("LayerNorm.weight", [](Table& table) { table *= 1e3; });
}

/// GELU of numbers far above 0 is the identity; the next map's bias takes away what they are above it.
void affine_activation(Parameters& parameters) {
  constexpr double kAbove = 60;
  parameters.change("intermediate.dense.bias", [&](Table& table) { table.array() += kAbove; });
  for (const std::string layer : {"layer.0.", "layer.1."}) {
    Vector sums;
    parameters.change(layer + "output.dense.weight", [&](Table& table) { sums = table.rowwise().sum(); });
    parameters.change(layer + "output.dense.bias",
                      [&](Table& table) { Eigen::Map<Vector>(table.data(), table.size()) -= kAbove * sums; });
  }
}

void uneven_words(Parameters& parameters) {
  parameters.change("word_embeddings.weight", [](Table& table) {
    for (Index row = 5; row < table.rows(); ++row) table.row(row) *= std::pow(1.5, static_cast<double>(row % 20));
  });
}

/// [CLS], which is word 2, alone.
void long_first_token(Parameters& parameters) {
  parameters.change("word_embeddings.weight", [](Table& table) { table.row(2) *= 40; });
}

Ran non_linear(const std::function<void(Parameters&)>& plant) {
  return run(non_linearity_experiment(), planted::model_checkpoint({}, plant));
}

/// Behind a normalisation that scales all coordinates alike and adds nothing.
void plain_head_norm(Parameters& parameters) {
  parameters.change("cls.predictions.transform.LayerNorm.weight", [](Table& table) { table.setConstant(1.2); });
  parameters.change("cls.predictions.transform.LayerNorm.bias", [](Table& table) { table.setZero(); });
}

/// Of one length, less their mean and the mean of their own coordinates, which then no vector of the head meets.
void equal_rows(Parameters& parameters) {
  plain_head_norm(parameters);
  parameters.change("word_embeddings.weight", [](Table& table) {
    table = table.rowwise() - table.colwise().mean().eval();
    table = table.colwise() - table.rowwise().mean().eval();
    table.rowwise().normalize();
  });
}

void no_bias(Parameters& parameters) {
  parameters.change("cls.predictions.bias", [](Table& table) { table.setZero(); });
}

Ran output_of(const model::ModelParts& parts, const std::function<void(Parameters&)>& plant) {
  return run(tied_output_experiment(), planted::model_checkpoint(parts, plant));
}

std::vector<Experiment> all() {
  return {non_linearity_experiment(), tied_output_experiment(), probes_experiment(),   first_token_experiment(),
          self_match_experiment(),    score_scale_experiment(), symmetry_experiment(), attention_cost_experiment()};
}

}  // namespace

TEST_CASE("Q7: with normalisations that are affine, GELU and self-attention are all of it") {
  const auto ran = non_linear(affine_normalisations);
  INFO(ran.verdicts.at("Q7").reason.en);
  CHECK(ran.observation("Q7") == Observation::holds);
  CHECK(ran.inference("Q7") == Inference::follows);
}

TEST_CASE("Q7: words of very different lengths make the first normalisation a main source") {
  const auto ran = non_linear(uneven_words);
  INFO(ran.verdicts.at("Q7").reason.en);
  CHECK(ran.observation("Q7") == Observation::fails);
  CHECK(ran.inference("Q7") == Inference::does_not_follow);
}

TEST_CASE("Q7: a named source that is affine is none") {
  const auto ran = non_linear(affine_activation);
  INFO(ran.verdicts.at("Q7").reason.en);
  CHECK(ran.observation("Q7") == Observation::fails);
}

TEST_CASE("Q7: one token that no common slope fits decides nothing") {
  const auto plain = non_linear([](Parameters&) {});
  const auto longer = non_linear(long_first_token);
  INFO(longer.verdicts.at("Q7").reason.en);
  CHECK(longer.observation("Q7") == plain.observation("Q7"));
  CHECK(longer.value("Q7", "normalisations_over_named") < 2 * plain.value("Q7", "normalisations_over_named"));
  CHECK(longer.value("Q7", "normalisations_over_named_all_tokens") >
        4 * longer.value("Q7", "normalisations_over_named"));
  CHECK(plain.inference("Q7") == Inference::does_not_follow);
}

TEST_CASE("Q6b: at equal norms the nearest row wins, and where norms are equal here it has the larger probability") {
  const auto equal = output_of(kTied, [](Parameters& parameters) {
    equal_rows(parameters);
    no_bias(parameters);
  });
  INFO(equal.verdicts.at("Q6b").reason.en);
  CHECK(equal.observation("Q6b") == Observation::holds);
  CHECK(equal.inference("Q6b") == Inference::follows);
  CHECK(equal.value("Q6b", "nearest_above") == 1);
  const auto biased = output_of(kTied, [](Parameters& parameters) {
    equal_rows(parameters);
    parameters.change("cls.predictions.bias", [](Table& table) { table *= 200; });
  });
  INFO(biased.verdicts.at("Q6b").reason.en);
  CHECK(biased.observation("Q6b") == Observation::holds);  // its condition is not met here, it holds all the same
  CHECK(biased.inference("Q6b") == Inference::does_not_follow);
}

TEST_CASE("Q6b: a number added to every coordinate of a row, which no vector of the head meets, changes nothing") {
  const auto plain = planted::model_checkpoint(kTied, [](Parameters& parameters) {
    equal_rows(parameters);
    no_bias(parameters);
  });
  const auto offset = rewritten(PlantedModel::offset, plain);
  CHECK((offset.tokens - plain.tokens).cwiseAbs().maxCoeff() > 0.1 * plain.tokens.cwiseAbs().maxCoeff());
  const auto before = run(tied_output_experiment(), plain);
  const auto after = run(tied_output_experiment(), offset);
  INFO(after.verdicts.at("Q6b").reason.en);
  CHECK(before.inference("Q6b") == Inference::follows);
  CHECK(after.inference("Q6b") == Inference::follows);
  CHECK(after.value("Q6b", "nearest_larger_than_most") == before.value("Q6b", "nearest_larger_than_most"));
  CHECK(after.value("Q6b", "nearest_above") == doctest::Approx(before.value("Q6b", "nearest_above")).epsilon(1e-3));
}

TEST_CASE("Q6b: without a tied head nothing is said") {
  for (const auto& parts : {kOwn, model::ModelParts{}}) {
    const auto ran = output_of(parts, [](Parameters&) {});
    CHECK(ran.observation("Q6b") == Observation::not_measured);
    CHECK_FALSE(ran.findings.numbers.contains("Q6b"));
  }
}

TEST_CASE("erasure leaves all classes one mean, and a line nothing to read") {
  RandomStream stream(1, "erasure");
  Table rows = white_noise({300, 12}, stream);
  std::vector<int32_t> labels;
  for (Index row = 0; row < rows.rows(); ++row) {
    labels.push_back(static_cast<int32_t>(row % 3));
    rows(row, row % 3) += 2;
    rows.row(row) *= 3;
  }
  const LinearErasure erasure(rows, labels, 3);
  CHECK(erasure.directions() == 2);
  const Table left = erasure.erased(rows);
  for (Index label = 0; label < 3; ++label) {
    const Table own = left(Eigen::seq(label, Eigen::last, 3), Eigen::all);
    CHECK((column_means(own) - column_means(left)).cwiseAbs().maxCoeff() < 1e-9);
  }
  // Nothing else goes: the variance that is left is that of the other directions.
  CHECK(centred(left).norm() > 0.8 * centred(rows).norm());
  const std::vector<int32_t> one(300, 0);
  CHECK((LinearErasure(rows, one, 1).erased(rows) - rows).norm() < 1e-9);
}

TEST_CASE("3.3: positions that are there are read in every layer, and those that are not in none") {
  const auto with = run(probes_experiment(), planted::model_checkpoint({}, [](Parameters&) {}));
  INFO(with.verdicts.at("3.3").reason.en);
  CHECK(with.observation("3.3") == Observation::holds);
  CHECK(with.inference("3.3") != Inference::follows);  // its tables are random, as the untrained model's
  CHECK(with.value("3.3", "erased_accuracy_position_input") < 0.3);
  CHECK(with.value("3.3", "erased_change_position_input") > 0);
  const auto unsaid = run(probes_experiment(), planted::model_checkpoint({}, [](Parameters& parameters) {
                            parameters.config.initializer_range = 0;  // which no output reads
                          }));
  INFO(unsaid.verdicts.at("3.3").reason.en);
  CHECK(unsaid.inference("3.3") == with.inference("3.3"));
  const auto without = run(probes_experiment(), planted::model_checkpoint({}, [](Parameters& parameters) {
                             parameters.change("position_embeddings.weight", [](Table& table) { table *= 1e-3; });
                           }));
  INFO(without.verdicts.at("3.3").reason.en);
  CHECK(without.observation("3.3") == Observation::fails);
}

TEST_CASE("3.3: what the second of four layers takes away is gone from there") {
  const auto ran =
      run(probes_experiment(), planted::model_of({.hidden = 32,
                                                  .heads = 4,
                                                  .intermediate = 64,
                                                  .layers = 4,
                                                  .positions = 40,
                                                  .vocabulary = 5 + int64_t{planted::kWords}},
                                                 {}, [](model::Weights& weights) {
                                                   // The normalisation leaves nothing of what it is given.
                                                   const std::string name = "encoder.layer.1.output.LayerNorm.weight";
                                                   weights.set(name, model::make_tensor({32}, std::vector<float>(32)));
                                                 }));
  INFO(ran.verdicts.at("3.3").reason.en);
  CHECK(ran.value("3.3", "layers_reading_both") == 1);
  CHECK(ran.value("3.3", "up_to_layer") == 1);
  CHECK(ran.findings.numbers.at("3.3").control("up_to_layer") == 4);
  CHECK(ran.verdicts.at("3.3").reason.en.find("up to layer 1 of 4") != std::string::npos);
  CHECK(ran.observation("3.3") == Observation::fails);
}

TEST_CASE("Q5 and Q5b: what grows how does not depend on a checkpoint's longest text") {
  for (const size_t positions : {48, 200}) {
    const auto ran =
        run(attention_cost_experiment(), planted::checkpoint({positions, 64}, [](planted::ThreeTables&) {}));
    CHECK(ran.observation("Q5") == Observation::holds);
    CHECK(ran.inference("Q5") == Inference::follows);
    CHECK(ran.observation("Q5b") == Observation::fails);
    CHECK(ran.inference("Q5b") == Inference::does_not_follow);
  }
}

TEST_CASE("Q9: a question is no claim") {
  const auto ran = run(score_scale_experiment(), tied());
  CHECK(ran.observation("Q9") == Observation::not_judged);
  CHECK(ran.findings.numbers.at("Q9").all().front().name == "entropy_ratio");
}

TEST_CASE("4.1: without positions and mask attention is symmetric, whatever the checkpoint's positions are") {
  for (const double size : {0.0, 1.0}) {
    const auto ran =
        run(symmetry_experiment(),
            planted::checkpoint({48, 64}, [&](planted::ThreeTables& tables) { tables.positions *= size; }));
    INFO(ran.verdicts.at("4.1").reason.en);
    CHECK(ran.observation("4.1") == Observation::holds);
    CHECK(ran.inference("4.1") == Inference::follows);
  }
}

TEST_CASE("a checkpoint without positions is measured wherever the table of them is not needed") {
  model::Config config = tied().model->config();
  config.position = model::NoPositions();
  const Subject subject = planted::loaded(
      config, test::random_weights(config, model::ModelParts{.heads = {model::Head::masked_language}}, 5));
  REQUIRE(subject.positions.rows() == 0);
  for (const Experiment& experiment : all()) {
    if (experiment.needs_positions) continue;
    CAPTURE(experiment.name);
    const Ran ran = run(experiment, subject);
    for (const auto& rule : experiment.rules) CHECK(ran.findings.numbers.contains(rule.claim));
  }
}

/// Long enough a table for every experiment, with circles and noise in it.
Subject with_circles(const model::ModelParts& parts, size_t unreached = 0) {
  constexpr size_t kPositions = 192;
  const auto sizes = test::Sizes{.hidden = 64,
                                 .heads = 4,
                                 .intermediate = 64,
                                 .layers = 2,
                                 .positions = kPositions,
                                 .vocabulary = static_cast<int64_t>(5 + planted::kWords + unreached)};
  return planted::model_of(sizes, parts, [](model::Weights& weights) {
    RandomStream stream(4, "referee: circles");
    const PlantedTableSettings settings{.rows = kPositions, .columns = 64, .circles = 3, .noise = 0.3};
    const Table table = planted_table(PlantedTable::clocks, settings, stream);
    const std::string name = "embeddings.position_embeddings.weight";
    const auto values = model::to_floats(tensor_of(table));
    weights.set(name, model::make_tensor(weights.at(name).shape, values));
  });
}

TEST_CASE("checkpoints that compute the same get the same verdicts, whatever is asked of them" *
          doctest::test_suite("long")) {
  const Subject source = with_circles(kTied);
  // Every way to rewrite a checkpoint, one behind the other.
  Subject same = with_circles(kTied);
  size_t rewrites = 0;
  for (const auto& [kind, name] : enum_names(PlantedModel{})) {
    if (!keeps_function(kind)) continue;
    same = rewritten(kind, same);
    ++rewrites;
  }
  CHECK(rewrites == 7);
  for (const auto& experiment : experiments()) {
    CAPTURE(experiment.name);
    const Ran own = run(experiment, source, 2);
    CHECK_FALSE(own.findings.numbers.empty());
    const Ran other = run(experiment, same, 2);
    for (const auto& [claim, verdict] : own.verdicts) {
      CAPTURE(claim);
      CAPTURE(verdict.reason.en);
      CAPTURE(other.verdicts.at(claim).reason.en);
      CHECK(other.observation(claim) == verdict.observation);
      CHECK(other.inference(claim) == verdict.inference);
    }
  }
}

TEST_CASE("rows that no text reaches change no number, whatever they hold" * doctest::test_suite("long")) {
  constexpr size_t kUnreached = 60;
  const Subject source = with_circles(kOwn, kUnreached);
  REQUIRE(unreached_ids(source).size() == kUnreached);
  const Subject other = rewritten(PlantedModel::unreached, source);
  const Table change = other.tokens - source.tokens;
  CHECK(change.topRows(change.rows() - Index{kUnreached}).isZero(0));
  CHECK(change.bottomRows(Index{kUnreached}).rowwise().norm().minCoeff() > 0);
  for (const auto& experiment : experiments()) {
    if (experiment.name == attention_cost_experiment().name) continue;  // it measures times
    CAPTURE(experiment.name);
    const Ran own = run(experiment, source, 2);
    const Ran same = run(experiment, other, 2);
    for (const auto& [claim, numbers] : own.findings.numbers) {
      for (const auto& number : numbers.all()) {
        CAPTURE(claim);
        CAPTURE(number.name);
        const auto& again = same.findings.numbers.at(claim);
        CHECK(again.value(number.name) == number.value);
        if (number.null) CHECK(again.null(number.name) == number.null->value);
        if (number.control) CHECK(again.control(number.name) == number.control->value);
      }
    }
  }
}

namespace {

bool opposite(const Verdict& one, const Verdict& other) {
  const auto both = [](auto a, auto b, auto yes, auto no) { return (a == yes && b == no) || (a == no && b == yes); };
  return both(one.observation, other.observation, Observation::holds, Observation::fails) ||
         both(one.inference, other.inference, Inference::follows, Inference::does_not_follow);
}

/// A vector added by the head's normalisation, which the decoder's bias takes back.
void bias_moved_to_the_decoder(Parameters& parameters) {
  Vector moved;
  parameters.change("cls.predictions.transform.LayerNorm.bias", [&](Table& table) {
    moved = planted::gaussian(table.size(), 1, "moved").col(0) * 5;
    Eigen::Map<Vector>(table.data(), table.size()) += moved;
  });
  const Vector by_row = table_of(parameters.weights.at("embeddings.word_embeddings.weight")) * moved;
  parameters.change("cls.predictions.bias",
                    [&](Table& table) { Eigen::Map<Vector>(table.data(), table.size()) -= by_row; });
}

/// Some coordinates of the last hidden state longer, which the head takes back.
void longer_coordinates(Parameters& parameters) {
  for (const char* part : {".weight", ".bias"}) {
    parameters.change(std::string("encoder.layer.1.output.LayerNorm") + part, [](Table& table) {
      for (const Index i : {3, 11, 17}) table.data()[i] *= 40;
    });
  }
  parameters.change("cls.predictions.transform.dense.weight", [](Table& table) {
    for (const Index i : {3, 11, 17}) table.col(i) /= 40;
  });
}

}  // namespace

TEST_CASE("Q6b, 4.10: what a masked-language head takes back turns no verdict to its opposite") {
  for (const auto& experiment : {tied_output_experiment(), removed_components_experiment()}) {
    const auto before = run(experiment, tied());
    for (const auto& rewrite : {bias_moved_to_the_decoder, longer_coordinates}) {
      const auto after = run(experiment, planted::model_checkpoint(kTied, rewrite));
      for (const auto& [claim, verdict] : before.verdicts) {
        CAPTURE(claim);
        CAPTURE(after.verdicts.at(claim).reason.en);
        CHECK_FALSE(opposite(verdict, after.verdicts.at(claim)));
      }
    }
  }
}

TEST_CASE("4.1: attention so sharp that it enlarges rounding is not called unsymmetric") {
  for (const double factor : {4.0, 16.0, 64.0}) {
    CAPTURE(factor);
    const auto ran = run(symmetry_experiment(), planted::model_checkpoint({}, [&](Parameters& parameters) {
                           for (const char* map : {"query.weight", "key.weight"}) {
                             parameters.change(map, [&](Table& table) { table *= factor; });
                           }
                         }));
    CAPTURE(ran.verdicts.at("4.1").reason.en);
    CHECK(ran.verdicts.at("4.1").observation != Observation::fails);
  }
}
