// Checkpoints that `summand lab plant` makes compute what they are said to compute.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "io/checkpoint.hpp"
#include "lab/plant/expectations.hpp"
#include "lab/plant/rewritten_models.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/table_of.hpp"
#include "model/parameters.hpp"
#include "model/sentence_pooling.hpp"
#include "reference/bert.hpp"
#include "reference/heads.hpp"
#include "support/random_model.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

constexpr double kExact = 1e-9;  // double precision, over sums of some hundred terms
constexpr const char* kPositions = "embeddings.position_embeddings.weight";

/// A small BERT with everything that can read its hidden states.
io::Checkpoint source_with(std::vector<Head> heads, model::Decoder decoder = model::Decoder::tied) {
  io::Checkpoint checkpoint;
  checkpoint.directory = "in memory";
  auto& config = checkpoint.config.config;
  config = test::config_of({.hidden = 24, .heads = 3, .intermediate = 40, .positions = 40, .vocabulary = 50});
  checkpoint.parts = {.pooler = model::Pooler::present, .heads = std::move(heads), .decoder = decoder};
  checkpoint.weights = test::random_weights(config, checkpoint.parts, 4);
  return checkpoint;
}

RewrittenModel rewritten(PlantedModel kind, const io::Checkpoint& source, const PlantedModelSettings& settings = {}) {
  RandomStream stream(3, "plant test");
  return rewritten_model(kind, source, settings, stream);
}

Table table_of_doubles(const Matrix<double>& matrix) {
  return Eigen::Map<const Table>(matrix.elements().data(), static_cast<Eigen::Index>(matrix.rows()),
                                 static_cast<Eigen::Index>(matrix.columns()));
}

struct Outputs {
  Table hidden;  ///< [tokens, hidden], of the last layer
  std::vector<double> pooled;
};

Outputs outputs_of(const model::Config& config, const model::Weights& weights, const model::Batch& batch,
                   size_t text = 0) {
  const reference::Bert<double> bert(config, weights);
  const auto output = bert.run(batch, text);
  return {table_of_doubles(output.hidden_states.back()), output.pooled};
}

model::Batch texts_for(const model::Config& config) {
  return test::random_batch(config, {12, 33}, 9);
}

/// The hidden vectors in the source's order.
Table in_source_order(const Table& hidden, const std::vector<size_t>& permutation) {
  Table back = hidden;
  for (size_t i = 0; i < permutation.size(); ++i) {
    back.col(static_cast<Eigen::Index>(permutation[i])) = hidden.col(static_cast<Eigen::Index>(i));
  }
  return back;
}

double relative_difference(const Table& a, const Table& b) {
  return (a - b).norm() / b.norm();
}

const Expectation& expectation(const std::vector<Expectation>& all, const std::string& of) {
  const auto found = std::ranges::find(all, of, &Expectation::of);
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("a rewritten model has the source's hidden states and pooled output, which the classifiers read") {
  const auto source = source_with({Head::next_sentence});
  const auto batch = texts_for(source.config.config);
  for (const auto& [kind, name] : enum_names(PlantedModel{})) {
    CAPTURE(name);
    const auto model = rewritten(kind, source);
    if (kind == PlantedModel::random) continue;
    bool same = true;
    for (const size_t text : {size_t{0}, size_t{1}}) {
      const auto expected = outputs_of(source.config.config, source.weights, batch, text);
      const auto got = outputs_of(model.config, model.weights, batch, text);
      same = same && relative_difference(in_source_order(got.hidden, model.permutation), expected.hidden) < kSameOutput;
      for (size_t i = 0; i < expected.pooled.size(); ++i) {
        same = same && std::abs(got.pooled[i] - expected.pooled[i]) < kSameOutput;
      }
    }
    CHECK(same == keeps_function(kind));
    CHECK(model.permutation.empty() == (kind != PlantedModel::permuted));
  }
}

TEST_CASE("a rewritten model has other numbers where it says so") {
  const auto source = source_with({});
  for (const auto kind : {PlantedModel::shifted, PlantedModel::rewritten, PlantedModel::permuted}) {
    const Table before = table_of(source.weights.at(kPositions));
    const Table after = table_of(rewritten(kind, source).weights.at(kPositions));
    CHECK(relative_difference(after, before) > 0.3);
  }
  const Table scaled = table_of(rewritten(PlantedModel::scaled, source).weights.at(kPositions));
  CHECK(scaled == table_of(source.weights.at(kPositions)) / 32);
}

TEST_CASE(
    "a gauge changes all maps of the encoder and those that read its last states, what normalisations add between "
    "them, "
    "and no table") {
  const auto source = source_with({Head::masked_language});
  const std::string last = "encoder.layer." + std::to_string(source.config.config.num_hidden_layers - 1) + ".output";
  const auto model = rewritten(PlantedModel::gauge, source);
  const auto changed = [&](const std::string& name) {
    return relative_difference(table_of(model.weights.at(name)), table_of(source.weights.at(name)));
  };
  for (const auto& parameter : model::parameters(source.config.config, source.parts)) {
    CAPTURE(parameter.name);
    const bool is_norm = parameter.name.find("LayerNorm") != std::string::npos;
    const bool is_dense = parameter.part == model::ParameterGroup::encoder ||
                          parameter.part == model::ParameterGroup::pooler ||
                          parameter.name.starts_with("cls.predictions.transform.dense");
    const bool is_before_maps =
        parameter.part == model::ParameterGroup::encoder || parameter.name.starts_with("embeddings.");
    const bool is_moved = is_norm && is_before_maps && !parameter.name.starts_with(last);
    if (is_moved) {
      CHECK(changed(parameter.name) > 1e-3);
    } else if (is_dense && !is_norm) {
      CHECK(changed(parameter.name) > (parameter.shape.size() == 2 ? 0.3 : 1e-3));
    } else {
      CHECK(changed(parameter.name) == 0);
    }
  }
}

TEST_CASE("a masked-language head reads a rewritten model as it read the source") {
  for (const auto decoder : {model::Decoder::tied, model::Decoder::own}) {
    const auto source = source_with({Head::masked_language}, decoder);
    const auto batch = texts_for(source.config.config);
    const auto probabilities = [&](const model::Config& config, const model::Weights& weights) {
      const auto output = reference::Bert<double>(config, weights).run(batch, 1);
      const std::vector<size_t> tokens{0, 5, 20};
      const auto logits = reference::Heads<double>(config, weights).logits(Head::masked_language, output, tokens);
      Table table = table_of_doubles(logits);
      table.colwise() -= table.rowwise().maxCoeff().eval();
      table = table.array().exp();
      return Table(table.array().colwise() / table.rowwise().sum().array());
    };
    const Table expected = probabilities(source.config.config, source.weights);
    for (const auto& [kind, name] : enum_names(PlantedModel{})) {
      if (!keeps_function(kind)) continue;
      CAPTURE(name);
      const auto model = rewritten(kind, source);
      CHECK(relative_difference(probabilities(model.config, model.weights), expected) < kSameOutput);
    }
  }
}

TEST_CASE("a Dense module behind two poolings reads a permuted model's vectors as the source's") {
  auto source = source_with({});
  const auto batch = texts_for(source.config.config);
  model::Dense dense;
  std::vector<float> values(10 * 48);
  RandomStream stream(1, "dense");
  for (float& value : values) value = static_cast<float>(stream.normal());
  dense.weight = model::make_tensor({10, 48}, values);
  source.sentence.pooling = {Pooling::mean, Pooling::max};
  source.sentence.steps = {dense};
  const auto model = rewritten(PlantedModel::permuted, source);
  const auto vector_of = [&](const model::Config& config, const model::Weights& weights, const model::Dense& last) {
    const auto output = reference::Bert<double>(config, weights).run(batch, 0);
    const std::vector<MatrixView<const double>> layers{output.hidden_states.back().view()};
    std::vector<double> pooled;
    for (const auto pooling : source.sentence.pooling) model::pool<double>(pooling, layers, 0, pooled);
    return Table(table_of(last.weight) * Eigen::Map<const Vector>(pooled.data(), 48));
  };
  const Table expected = vector_of(source.config.config, source.weights, dense);
  CHECK(relative_difference(vector_of(model.config, model.weights, std::get<model::Dense>(model.steps.front())),
                            expected) < kSameOutput);
  CHECK(relative_difference(vector_of(model.config, model.weights, dense), expected) > 0.1);
  const auto truth = expectations_of(PlantedModel::permuted, model, source.sentence);
  CHECK(std::get<bool>(expectation(truth, "same_as_source").what));
  CHECK_FALSE(std::get<bool>(expectation(truth, "sentence_vectors_permuted").what));
}

TEST_CASE("a large epsilon is no longer scaled away, and the truth says so") {
  auto source = source_with({});
  source.config.config.layer_norm_eps = 1e-3;
  const auto scaled = rewritten(PlantedModel::scaled, source);
  const auto batch = texts_for(source.config.config);
  const auto expected = outputs_of(source.config.config, source.weights, batch);
  const auto got = outputs_of(scaled.config, scaled.weights, batch);
  CHECK(relative_difference(got.hidden, expected.hidden) > 100 * kSameOutput);
  CHECK(scaled.epsilon_error > 0.1);
  CHECK_FALSE(std::get<bool>(
      expectation(expectations_of(PlantedModel::scaled, scaled, source.sentence), "same_as_source").what));
}

TEST_CASE("without order, words behind the first may change places") {
  const auto source = source_with({});
  const auto batch = texts_for(source.config.config);
  auto other = batch;
  std::swap(other.ids[2], other.ids[8]);
  std::swap(other.segments[2], other.segments[8]);
  const auto effect = [&](const model::Weights& weights) {
    const auto before = outputs_of(source.config.config, weights, batch).hidden;
    const auto after = outputs_of(source.config.config, weights, other).hidden;
    return relative_difference(after.colwise().mean(), before.colwise().mean());
  };
  const auto model = rewritten(PlantedModel::no_order, source);
  CHECK(effect(model.weights) < kExact);
  CHECK(effect(source.weights) > 1e-3);
  const Table rows = table_of(model.weights.at(kPositions));
  CHECK(rows.row(0) == table_of(source.weights.at(kPositions)).row(0));
}

TEST_CASE("white positions keep the rows' lengths and nothing else") {
  const auto source = source_with({});
  const Table before = table_of(source.weights.at(kPositions));
  const Table after = table_of(rewritten(PlantedModel::white_positions, source).weights.at(kPositions));
  CHECK((before.rowwise().norm() - after.rowwise().norm()).cwiseAbs().maxCoeff() < 1e-6);
  CHECK(relative_difference(after, before) > 1);
}

TEST_CASE("a random model begins as training begins") {
  const auto source = source_with({});
  const auto model = rewritten(PlantedModel::random, source, {.layers = 3, .hidden = 64, .heads = 4});
  CHECK(model.config.num_hidden_layers == 3);
  CHECK(model.config.vocab_size == 50);
  CHECK(model.config.max_position_embeddings == 40);
  CHECK(model.parts.has(Head::masked_language));
  CHECK_FALSE(model.weights.contains("cls.predictions.decoder.weight"));
  const Table tokens = table_of(model.weights.at("embeddings.word_embeddings.weight"));
  CHECK(tokens.row(0).isZero(0));
  CHECK(standard_deviation(elements(Table(tokens.bottomRows(49)))) == doctest::Approx(0.02).epsilon(0.05));
  const auto batch = texts_for(model.config);
  CHECK(outputs_of(model.config, model.weights, batch).hidden.allFinite());
}

TEST_CASE("a model that cannot be rewritten is refused") {
  auto source = source_with({});
  source.config.config.composition = model::Multiplicative();
  CHECK_THROWS_AS((void)rewritten(PlantedModel::permuted, source), ConfigError);
  source = source_with({});
  source.config.config.position = model::SinusoidalPositions();
  CHECK_THROWS_AS((void)rewritten(PlantedModel::shifted, source), ConfigError);
  source = source_with({});
  for (const auto format : {model::WeightFormat::summand_int8, model::WeightFormat::summand_int8_calibrated}) {
    source.config.config.weight_format = format;
    CHECK_THROWS_AS((void)rewritten(PlantedModel::no_order, source), CheckpointError);
  }
  source = source_with({});
  CHECK_THROWS_AS((void)rewritten(PlantedModel::random, source, {.hidden = 64, .heads = 5}), UsageError);
  CHECK_THROWS_AS((void)rewritten(PlantedModel::scaled, source, {.scale = 0}), UsageError);
}
