// What is read off attention, against closed forms and plain loops.
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/first_token/flow_shares.hpp"
#include "lab/experiments/identical_words/attention_metrics.hpp"
#include "lab/experiments/identical_words/position_attention.hpp"
#include "lab/experiments/self_match/own_match.hpp"
#include "lab/experiments/self_match/replaced_maps.hpp"
#include "lab/plant/rewritten_models.hpp"
#include "lab/probing/attention.hpp"
#include "lab/probing/balanced_maps.hpp"
#include "lab/probing/norm_outputs.hpp"
#include "lab/probing/results.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/table_of.hpp"
#include "tests/lab/attention_subject.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;

namespace {

constexpr double kRounding = 1e-9;
constexpr double kSingle = 2e-5;  // of a score in single precision

Table noise(size_t rows, size_t columns, const char* name) {
  RandomStream stream(7, name);
  return white_noise({rows, columns}, stream);
}

Table weight_of(const Subject& subject, const std::string& name) {
  const auto& tensor = subject.model->checkpoint().weights.at(name);
  const auto values = model::to_doubles(tensor);
  const auto rows = static_cast<Index>(tensor.shape.size() < 2 ? 1 : tensor.shape[0]);
  return Eigen::Map<const Table>(values.data(), rows, static_cast<Index>(values.size()) / rows);
}

model::Batch one_text(const Subject& subject) {
  model::Batch batch;
  batch.add(subject.corpus.sentences[0].ids, subject.corpus.sentences[0].segments);
  return batch;
}

}  // namespace

TEST_CASE("the Gini coefficient has its closed forms") {
  CHECK(gini(std::vector<double>{2, 2, 2}) == 0);
  CHECK(gini(std::vector<double>{0, 0, 5}) == doctest::Approx(2.0 / 3));
  CHECK(gini(std::vector<double>{3, 1, 2}) == doctest::Approx(2.0 / 9));
  CHECK(gini(std::vector<double>{0, 0}) == 0);
}

TEST_CASE("logits that fall with distance have all metrics of position at 1") {
  const Table logits = falling_logits(40, 0.3);
  CHECK(distance_share(logits) == doctest::Approx(1));
  CHECK(symmetry_share(logits) == doctest::Approx(1));
  CHECK(local_monotonicity(logits, 20) == doctest::Approx(1));
  CHECK(std::abs(direction_bias(softmax_rows(logits))) < kRounding);
  CHECK(published_symmetry(softmax_rows(logits)) == doctest::Approx(1));
  Table moved = logits;
  for (Index i = 0; i < moved.rows(); ++i) moved.row(i).array() += std::sin(static_cast<double>(3 * i));
  CHECK(distance_share(moved) < 0.99);
  CHECK(logit_distance_share(moved) == doctest::Approx(1).epsilon(1e-6));
  CHECK(logit_symmetry_share(moved) == doctest::Approx(1));
  const Table turned = noise(40, 40, "turned");
  CHECK(symmetry_share(turned - turned.transpose()) < kRounding);
  CHECK(symmetry_share(noise(200, 200, "noise")) == doctest::Approx(0.5).epsilon(0.02));
  CHECK(logit_distance_share(noise(200, 200, "noise")) < 0.03);
  CHECK(logit_symmetry_share(noise(200, 200, "noise")) == doctest::Approx(0.5).epsilon(0.02));
  CHECK(symmetry_share(Table::Constant(9, 9, 0.1)) == 0);
  CHECK(distance_share(Table::Constant(9, 9, 0.1)) == 0);
  CHECK(logit_distance_share(Table::Constant(9, 9, 0.1)) == 0);
}

TEST_CASE("what looks to the right has its direction") {
  Table right = Table::Zero(10, 10);
  for (Index i = 0; i < 10; ++i) right(i, std::min<Index>(i + 1, 9)) = 1;
  CHECK(direction_bias(right) == doctest::Approx(0.9));
  CHECK(direction_bias(right.transpose().eval()) == doctest::Approx(-0.9));
}

TEST_CASE("the published symmetry cannot tell tiny noise from large") {
  constexpr double kTwoDigits = 0.015;  // of values computed elsewhere, with NumPy
  RandomStream stream(1, "noisy");
  CHECK(published_locality(Table::Constant(128, 128, 1.0 / 128)) == doctest::Approx(0.023).epsilon(0.02));
  CHECK(std::abs(published_symmetry(noisy_attention(1, 128, 1e-6, stream).attention[0]) - 0.68) < kTwoDigits);
  CHECK(std::abs(published_symmetry(noisy_attention(1, 128, 1, stream).attention[0]) - 0.82) < kTwoDigits);
  const Table disturbed = falling_logits(128, 0.5) + 1e-3 * noise(128, 128, "disturbed");
  CHECK(published_symmetry(softmax_rows(disturbed)) < 0.97);
  CHECK(symmetry_share(softmax_rows(disturbed)) > 0.99);
}

TEST_CASE("watched scores are queries times keys, and changed queries and keys change them") {
  const Subject subject = planted::Encoder({}).subject();
  const auto batch = one_text(subject);
  const auto model = changed_model(subject);
  const auto states = run_texts(model.engine(1), batch, SentenceVector::mean).states;
  size_t texts = 0;
  watch_attention(model.engine(1), batch, {.keep_states = KeepStates::yes}, [&](const TextAttention& text) {
    ++texts;
    REQUIRE(text.scores.size() == 2);
    REQUIRE(text.states.size() == 3);
    for (size_t layer = 0; layer < 2; ++layer) {
      const auto map = [&](const char* name) {
        const std::string full = model::layer_parameter(layer, std::string("attention.self.") + name);
        return ((states[layer] * weight_of(subject, full + ".weight").transpose()).rowwise() +
                weight_of(subject, full + ".bias").row(0))
            .eval();
      };
      CHECK((text.values[layer] - map("value")).cwiseAbs().maxCoeff() < kSingle);
      for (Index head = 0; head < 4; ++head) {
        const Table expected =
            map("query").middleCols(16 * head, 16) * map("key").middleCols(16 * head, 16).transpose() / 4;
        const Table& got = text.scores[layer][static_cast<size_t>(head)];
        CHECK((got - expected).cwiseAbs().maxCoeff() < 10 * kSingle);
        CHECK((softmax_rows(got).rowwise().sum().array() - 1).abs().maxCoeff() < kRounding);
      }
    }
  });
  CHECK(texts == 1);
  const auto identity = first_layer_of(with_identity(model, Identity::queries_keys_values, 1));
  watch_attention(identity.engine(1), batch, {}, [&](const TextAttention& text) {
    const Table deviations = states[0].rowwise() - weight_of(subject, "embeddings.LayerNorm.bias").row(0);
    const double scale = weight_of(subject, "embeddings.LayerNorm.weight").array().square().mean();
    const Table expected = deviations * deviations.transpose() / (8 * scale);
    CHECK((text.scores[0][0] - expected).cwiseAbs().maxCoeff() < 10 * kSingle);
  });
  watch_attention(model.engine(1), batch, {.change = equal_norms(4, 50)}, [&](const TextAttention& text) {
    for (const auto& heads : text.scores) {
      for (const Table& scores : heads) {
        CHECK((scores.diagonal().array() - 50).abs().maxCoeff() < 1e-3);
        CHECK(scores.maxCoeff() < 50 + 1e-3);
      }
    }
  });
}

TEST_CASE("shares of a flow agree with plain loops") {
  constexpr Index kLength = 5;
  constexpr Index kHidden = 6;
  TextAttention text;
  std::vector<FlowMaps> maps;
  Table rollout = Table::Identity(kLength, kLength);
  Table norms = rollout;
  for (size_t layer = 0; layer < 2; ++layer) {
    const std::string name = "layer " + std::to_string(layer);
    text.scores.push_back({noise(5, 5, (name + " a").c_str()), noise(5, 5, (name + " b").c_str())});
    text.values.push_back(noise(5, 6, (name + " values").c_str()));
    text.states.push_back(noise(5, 6, (name + " states").c_str()));
    maps.push_back(
        {.output = noise(6, 6, (name + " map").c_str()), .bias_before = noise(1, 6, (name + " bias").c_str()).row(0)});
    const Table values = text.values[layer].rowwise() - text.values[layer].colwise().mean().eval();
    Table plain(kLength, kLength);
    Table middle(kLength, kLength);
    for (Index i = 0; i < kLength; ++i) {
      for (Index j = 0; j < kLength; ++j) {
        Vector sum = Vector::Zero(kHidden);
        middle(i, j) = i == j ? 0.5 : 0;
        for (Index head = 0; head < 2; ++head) {
          const double weight = softmax_rows(text.scores[layer][static_cast<size_t>(head)])(i, j);
          Vector value = Vector::Zero(kHidden);
          value.segment(3 * head, 3) = values.row(j).segment(3 * head, 3).transpose();
          sum += weight * (maps[layer].output * value);
          middle(i, j) += weight / 4;
        }
        if (i == j) sum += text.states[layer].row(i).transpose() - maps[layer].bias_before;
        plain(i, j) = std::sqrt(sum.squaredNorm() - sum.sum() * sum.sum() / kHidden);
      }
      plain.row(i) /= plain.row(i).sum();
    }
    rollout = (middle * rollout).eval();
    norms = (plain * norms).eval();
  }
  const FlowShares shares = flow_shares(text, maps);
  CHECK((shares.rollout - rollout).cwiseAbs().maxCoeff() < kRounding);
  CHECK((shares.norms - norms).cwiseAbs().maxCoeff() < kRounding);
  // What a checkpoint may have elsewhere, and what the normalisation behind takes out.
  for (Table& values : text.values) values.rowwise() += 5 * noise(1, 6, "shared by all values").row(0);
  for (Table& states : text.states) states.rowwise() += noise(1, 6, "in the bias").row(0);
  for (FlowMaps& one : maps) {
    one.bias_before += noise(1, 6, "in the bias").row(0);
    one.output.rowwise() += 5 * noise(1, 6, "to every coordinate").row(0);
  }
  for (Table& states : text.states) states.colwise() += 5 * noise(5, 1, "to every coordinate").col(0);
  CHECK((flow_shares(text, maps).norms - norms).cwiseAbs().maxCoeff() < kRounding);
}

TEST_CASE("what a normalisation gives is where it can be, and maps reduced to that make the same of it") {
  const Table g = noise(1, 8, "g");
  const Table b = noise(1, 8, "b");
  for (const Index zeros : {0, 1, 2}) {  // of the weight
    CAPTURE(zeros);
    Table scale = g;
    scale.leftCols(zeros).setZero();
    model::Weights weights;
    weights.set("norm.weight", tensor_of(scale));
    weights.set("norm.bias", tensor_of(b));
    const NormOutputs outputs(weights, "norm");
    const Table bias = table_of(weights.at("norm.bias"));
    const Table inputs = noise(20, 8, "inputs");
    const Table around = inputs.colwise() - inputs.rowwise().mean();
    const Table given = (around * table_of(weights.at("norm.weight")).row(0).asDiagonal()).rowwise() + bias.row(0);
    CHECK((outputs.nearest(given) - given).cwiseAbs().maxCoeff() < kRounding);
    const Table elsewhere = noise(20, 8, "elsewhere");
    const Table nearest = outputs.nearest(elsewhere);
    CHECK((outputs.nearest(nearest) - nearest).cwiseAbs().maxCoeff() < kRounding);
    // Nearest: what is left stands at right angles to all that it can give.
    const Table spans = given.rowwise() - bias.row(0);
    CHECK((spans * (elsewhere - nearest).transpose()).cwiseAbs().maxCoeff() < kRounding);
    CHECK((elsewhere - nearest).norm() > 0.1);
    const Table weight = noise(5, 8, "weight");
    const Vector shift = noise(1, 5, "shift").row(0);
    Table reduced = weight;
    Vector reduced_shift = shift;
    outputs.reduce(reduced, reduced_shift);
    const Table made = (given * weight.transpose()).rowwise() + shift.transpose();
    const Table again = (given * reduced.transpose()).rowwise() + reduced_shift.transpose();
    CHECK((made - again).cwiseAbs().maxCoeff() < kRounding);
    CHECK(reduced.norm() < 0.999 * weight.norm());
  }
}

namespace {

Table random_map(const char* name) {
  return noise(4, 9, name);
}

/// The first layer's attention weights, head by head.
std::vector<Table> attention_of(const ChangedModel& model, const model::Batch& batch) {
  std::vector<Table> weights;
  watch_attention(first_layer_of(model).engine(1), batch, {}, [&](const TextAttention& text) {
    for (const Table& scores : text.scores[0]) weights.push_back(softmax_rows(scores));
  });
  return weights;
}

double largest_difference(const std::vector<Table>& a, const std::vector<Table>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).cwiseAbs().maxCoeff());
  return largest;
}

}  // namespace

TEST_CASE("a balanced head has the scores of its maps, two maps of one size, and no trace of their basis") {
  const Table query = random_map("query");
  const Table key = random_map("key");
  const BalancedHead head = balanced_head(query, key);
  CHECK((head.query.transpose() * head.key - query.transpose() * key).cwiseAbs().maxCoeff() < kRounding);
  CHECK((head.query * head.query.transpose() - head.key * head.key.transpose()).cwiseAbs().maxCoeff() < kRounding);
  const Table basis = 60 * noise(4, 4, "basis");
  const BalancedHead other = balanced_head(basis * query, basis.inverse().transpose() * key);
  const auto tied = [](const BalancedHead& of) { return (of.query.transpose() * of.query).eval(); };
  CHECK((tied(other) - tied(head)).cwiseAbs().maxCoeff() < kRounding);
  const Table root = tied(head);
  CHECK((root * root - query.transpose() * key * key.transpose() * query).cwiseAbs().maxCoeff() < 1e-7);
  const BalancedHead none = balanced_head(Table::Zero(4, 9), key);
  CHECK(none.query.isZero(0));
  CHECK(none.key.isZero(0));
}

TEST_CASE("replaced maps attend the same, whatever attention leaves free in a checkpoint") {
  const Subject subject = planted::Encoder({}).subject();
  const auto batch = one_text(subject);
  const ChangedModel own = changed_model(subject);
  RandomStream stream(3, "gauge");
  const auto made = rewritten_model(PlantedModel::gauge, subject.model->checkpoint(), {}, stream);
  const ChangedModel other{made.config, made.weights};
  const auto attention = attention_of(own, batch);
  CHECK(largest_difference(attention_of(other, batch), attention) < kSingle);
  CHECK(largest_difference(attention_of(with_balanced_maps(own), batch), attention) < kSingle);
  const auto tied = attention_of(with_tied_maps(own), batch);
  CHECK(largest_difference(tied, attention) > 0.1);
  CHECK(largest_difference(attention_of(with_tied_maps(other), batch), tied) < 10 * kSingle);
  const auto drawn = [&](const ChangedModel& model) {
    RandomStream maps(4, "random maps");
    return attention_of(with_random_maps(model, maps), batch);
  };
  CHECK(largest_difference(drawn(other), drawn(own)) < 10 * kSingle);
}
