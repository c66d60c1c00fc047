// The symmetry experiment: what moves when tokens change places.
#include <doctest/doctest.h>

#include <string>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/symmetry/permuted_texts.hpp"
#include "lab/probing/changed_model.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;
using planted::run;

namespace {

const Subject& plain() {
  static const Subject subject = planted::checkpoint({48, 64}, [](planted::ThreeTables&) {});
  return subject;
}

Rule rule() {
  return symmetry_experiment().rules.front();
}

/// Numbers of a model without positions that is as symmetric as said.
Numbers numbers_of(double tokens, double in_double, double others, double masked) {
  Numbers numbers;
  const LocalizedText of{"made up", "虚构"};
  const auto add = [&](const char* name, double value) {
    numbers.add(NumberBuilder(name, of, value).null(masked, of).control(0, of));
  };
  add("token_moves", tokens);
  add("mean_moves", tokens / 2);
  add("place_moves", 1);
  add("others_permuted", others);
  add("causal_mask", masked);
  add("token_moves_in_double", in_double);
  return numbers;
}

}  // namespace

TEST_CASE("permuted texts hold the same tokens in their new places") {
  RandomStream stream(1, "permuted");
  const Texts texts = texts_of(plain(), {.most = 3, .longest = 9}, stream);
  for (const auto& pair : drawn_pairs(texts, 2, Moved::all_but_first, stream)) {
    CHECK(pair.order[0] == 0);
    for (size_t i = 0; i < pair.order.size(); ++i) CHECK(pair.moved.ids[pair.order[i]] == pair.text.ids[i]);
  }
}

TEST_CASE("changes are told apart: a token's, the mean's, a place's") {
  // A model that reads each token alone, and one that adds the place.
  const auto of_token = [](double place) {
    return [place](const model::Batch& text) {
      Table states(static_cast<Eigen::Index>(text.ids.size()), 1);
      for (Eigen::Index i = 0; i < states.rows(); ++i) {
        states(i, 0) = text.ids[static_cast<size_t>(i)] + place * static_cast<double>(i * i);
      }
      return states;
    };
  };
  Permuted pair{.text = {}, .moved = {}, .order = {1, 0}};
  pair.text.add(std::vector<int32_t>{1, 5}, std::vector<int32_t>{0, 0});
  pair.moved.add(std::vector<int32_t>{5, 1}, std::vector<int32_t>{0, 0});
  const auto plain_changes = largest_changes(of_token(0), {pair});
  CHECK(plain_changes.tokens == 0);
  CHECK(plain_changes.mean == 0);
  CHECK(plain_changes.same_place == doctest::Approx(2));  // 4 of a deviation of 2
  CHECK(largest_changes(of_token(1), {pair}).tokens == doctest::Approx(1 / 2.5));
}

TEST_CASE("a model without positions and mask is symmetric, and a causal mask breaks it") {
  const auto ran = run(symmetry_experiment(), plain());
  CHECK(ran.observation("4.1") == Observation::holds);
  CHECK(ran.inference("4.1") == Inference::follows);
  CHECK(ran.value("4.1", "token_moves") < 1e-4);
  CHECK(ran.value("4.1", "token_moves_in_double") < 1e-12);
  CHECK(ran.value("4.1", "causal_mask") > 0.1);
  CHECK(ran.value("4.1", "place_moves") > 0.1);
  CHECK(ran.findings.numbers.at("4.1").null("token_moves") > 0.1);
  CHECK(ran.value("4.1", "positions_move") > 0.1);
}

TEST_CASE("symmetry does not ask what the positions are") {
  const auto subject = planted::checkpoint(
      {48, 64}, [](planted::ThreeTables& tables) { tables.positions.rowwise() = tables.positions.row(0).eval(); });
  const auto ran = run(symmetry_experiment(), subject);
  CHECK(ran.observation("4.1") == Observation::holds);
  CHECK(ran.value("4.1", "positions_move") < 1e-4);
}

TEST_CASE("the rule of symmetry turns with what is measured") {
  const auto verdict = [](double tokens, double in_double, double others, double masked = 1) {
    return rule().judge(numbers_of(tokens, in_double, others, masked));
  };
  CHECK(verdict(1e-5, 1e-13, 1e-5).observation == Observation::holds);
  CHECK(verdict(1e-5, 1e-13, 1e-5).inference == Inference::follows);
  CHECK(verdict(1e-5, 1e-13, 0.2).inference == Inference::not_tested);
  CHECK(verdict(0.2, 1e-13, 1e-5).observation == Observation::cannot_be_told);  // rounding that a model enlarges
  CHECK(verdict(1e-5, 1e-6, 1e-5).observation == Observation::fails);
  CHECK(verdict(0.2, 1e-13, 1e-5).inference == Inference::not_tested);
  CHECK(verdict(0.2, 1e-6, 1e-5).inference == Inference::does_not_follow);
  CHECK(verdict(1e-5, 1e-13, 1e-5, 1e-10).observation == Observation::cannot_be_told);
}

TEST_CASE("without a corpus or a model symmetry is a gap") {
  Subject subject = plain();
  subject.corpus = {};
  CHECK(run(symmetry_experiment(), subject).findings.gaps.contains("4.1"));
  subject.model = nullptr;
  CHECK(run(symmetry_experiment(), subject).findings.gaps.contains("4.1"));
}
