// The experiment on the output: tied or not, and whether the nearest row wins.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/tied_output/nearest_rows.hpp"
#include "lab/experiments/tied_output/output_figures.hpp"
#include "lab/probing/prediction_head.hpp"
#include "lab/statistics/surrogates.hpp"
#include "tests/lab/planted_weights.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;
using planted::Parameters;
using planted::run;

namespace {

const model::ModelParts kTied{.heads = {model::Head::masked_language}};
const model::ModelParts kOwn{.heads = {model::Head::masked_language}, .decoder = model::Decoder::own};
constexpr const char* kTokens = "word_embeddings.weight";
constexpr const char* kBias = "cls.predictions.bias";

Table noise(Index rows, Index columns, const char* name) {
  RandomStream stream(3, name);
  return white_noise({static_cast<size_t>(rows), static_cast<size_t>(columns)}, stream);
}

void equal_rows(Parameters& parameters) {
  parameters.change(kTokens, [](Table& table) { table.rowwise().normalize(); });
}

void no_bias(Parameters& parameters) {
  parameters.change(kBias, [](Table& table) { table.setZero(); });
}

void spread_rows(Parameters& parameters) {
  parameters.change(kTokens, [](Table& table) {
    for (Index row = 0; row < table.rows(); ++row) table.row(row) *= std::pow(1.2, static_cast<double>(row % 20));
  });
}

}  // namespace

TEST_CASE("nearest rows are those of a plain search") {
  const Table rows = noise(40, 6, "rows");
  const Table vectors = noise(50, 6, "vectors");
  const Vector scale = noise(40, 1, "scale").col(0).array().exp();
  const Vector bias = noise(40, 1, "bias").col(0);
  for (const Origin origin : {Origin::raw, Origin::centred}) {
    const Table scaled =
        (origin == Origin::raw ? rows : Table(rows.rowwise() - rows.colwise().mean())).array().colwise() *
        scale.array();
    const auto found = nearest_rows(vectors, {{.rows = rows, .scale = scale, .bias = bias, .origin = origin}}).front();
    REQUIRE(found.size() == 50);
    size_t mixed = 0;
    for (Index i = 0; i < 50; ++i) {
      Index winner = 0;
      Index plain = 0;
      Index cosine = 0;
      Index distance = 0;
      const Vector products = scaled * vectors.row(i).transpose();
      (products + bias).maxCoeff(&winner);
      products.maxCoeff(&plain);
      products.cwiseQuotient(scaled.rowwise().norm()).maxCoeff(&cosine);
      (scaled.rowwise() - vectors.row(i)).rowwise().norm().minCoeff(&distance);
      const auto& one = found[static_cast<size_t>(i)];
      CHECK(one.cosine == (winner == cosine));
      CHECK(one.distance == (winner == distance));
      CHECK(one.cosine_without_bias == (plain == cosine));
      CHECK(one.distance_without_bias == (plain == distance));
      mixed += one.cosine_without_bias ? 1 : 0;
    }
    CHECK(mixed > 0);
    CHECK(mixed < 50);
  }
}

TEST_CASE("the head's vector gives the engine's logits") {
  for (const auto& parts : {kTied, kOwn}) {
    const auto subject = planted::model_checkpoint(parts, [](Parameters&) {});
    const auto head = prediction_head(subject);
    REQUIRE(head);
    model::Batch batch;
    batch.add(std::vector<int32_t>{2, 9, 30, 4, 3}, std::vector<int32_t>{0, 0, 0, 1, 1});
    const auto& engine = subject.model->engine();
    const auto logits = engine::head_logits(engine, batch, model::Head::masked_language, std::vector<size_t>{1, 3});
    const auto states = engine::hidden_states(engine, batch, std::vector<size_t>{2}).front();
    for (size_t i = 0; i < 2; ++i) {
      Table state(1, 32);
      for (size_t k = 0; k < 32; ++k) state(0, static_cast<Index>(k)) = double{states(2 * i + 1, k)};
      const Table own = head->transformed(state) * head->rows.transpose() + head->bias.transpose();
      for (size_t word = 0; word < logits.columns(); word += 7) {
        CHECK(own(0, static_cast<Index>(word)) == doctest::Approx(double{logits(i, word)}).epsilon(1e-4));
      }
    }
  }
}

TEST_CASE("rows of one norm without bias: the winner is the nearest") {
  const auto subject = planted::model_checkpoint(kTied, [](Parameters& parameters) {
    equal_rows(parameters);
    no_bias(parameters);
  });
  const auto ran = run(tied_output_experiment(), subject);
  CHECK(ran.observation("Q6b") == Observation::holds);
  CHECK(ran.value("Q6b", "nearest_cosine") == 1);
  CHECK(ran.value("Q6b", "nearest_distance") == 1);
  CHECK(ran.value("Q6b", "spread_of_bias") == 0);
  CHECK(ran.observation("Q6") == Observation::holds);
  CHECK(ran.inference("Q6") == Inference::not_tested);
}

TEST_CASE("rows of spread norms, or an uneven bias: the winner is another, the theorem holds all the same") {
  const auto spread = run(tied_output_experiment(), planted::model_checkpoint(kTied, [](Parameters& parameters) {
                            spread_rows(parameters);
                            no_bias(parameters);
                          }));
  CHECK(spread.observation("Q6b") == Observation::holds);
  CHECK(spread.value("Q6b", "nearest_cosine_centred") < 0.9);
  CHECK(spread.value("Q6b", "nearest_at_equal_norms_cosine") == 1);
  CHECK(spread.value("Q6b", "nearest_at_equal_norms_distance") == 1);
  const auto biased = run(tied_output_experiment(), planted::model_checkpoint(kTied, [](Parameters& parameters) {
                            equal_rows(parameters);
                            parameters.change(kBias, [](Table& table) { table *= 50; });
                          }));
  CHECK(biased.observation("Q6b") == Observation::holds);
  CHECK(biased.inference("Q6b") == Inference::does_not_follow);
  CHECK(biased.value("Q6b", "nearest_cosine") < 0.9);
}

TEST_CASE("a decoder of its own saves nothing") {
  const auto ran = run(tied_output_experiment(), planted::model_checkpoint(kOwn, [](Parameters&) {}));
  CHECK(ran.observation("Q6") == Observation::fails);
  CHECK(ran.value("Q6", "saved_millions") == 0);
  CHECK(ran.value("Q6", "decoder_shared") == 0);
  CHECK(ran.findings.numbers.at("Q6").control("saved_millions") == (5 + planted::kWords) * 32 / 1e6);
}

TEST_CASE("without a head, or with a decoder of its own, the nearest row is not asked for") {
  const auto none = run(tied_output_experiment(), planted::model_checkpoint({}, equal_rows));
  CHECK(none.observation("Q6") == Observation::cannot_be_told);
  CHECK(none.findings.gaps.contains("Q6b"));
  CHECK(none.findings.remarks.size() == 1);
  CHECK(run(tied_output_experiment(), planted::model_checkpoint(kOwn, equal_rows)).findings.gaps.contains("Q6b"));
}

TEST_CASE("the output's operations are counted by the vocabulary, the head's own layer among them") {
  const OutputCost cost{.vocabulary = 100, .width = 8, .encoder = 3928};
  CHECK(cost.output(100) == 1900 + 128);
  CHECK(cost.equal_vocabulary() == 200);
}

TEST_CASE("a table alone, or no corpus, is a gap of the output") {
  Subject subject = planted::model_checkpoint(kTied, [](Parameters&) {});
  subject.corpus = {};
  const auto ran = run(tied_output_experiment(), subject);
  CHECK(ran.findings.gaps.contains("Q6b"));
  CHECK_FALSE(ran.findings.gaps.contains("Q6"));
  subject.model = nullptr;
  CHECK(run(tied_output_experiment(), subject).findings.gaps.contains("Q6"));
}
