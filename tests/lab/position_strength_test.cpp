// 4.9: strengths and terms in closed form, and what is planted turns the verdict.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "lab/experiments/experiments.hpp"
#include "lab/experiments/position_strength/logit_groups.hpp"
#include "lab/experiments/position_strength/strength_runs.hpp"
#include "lab/experiments/position_strength/text_logits.hpp"
#include "lab/probing/attention.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/subspaces.hpp"
#include "tests/lab/besides.hpp"
#include "tests/lab/planted_model.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

Subject plain(double positions = 1) {
  return planted::checkpoint({48, 24}, [&](planted::ThreeTables& tables) { tables.positions *= positions; });
}

model::Batch batch_of(const Subject& subject) {
  RandomStream stream(1, "texts");
  return texts_of(subject, {.most = 4, .longest = 20, .shortest = 6}, stream).batch;
}

constexpr std::array kFactors{0.0, 2.0, 3.0};

StrengthTables all_rows_of(const Subject& subject) {
  return {subject.positions, StrengthenedRows::all, kFactors};
}

}  // namespace

TEST_CASE("4.9 fails where attention reads positions, and every number has both besides") {
  const auto ran = planted::run(position_strength_experiment(), plain());
  CHECK(ran.observation("4.9") == Observation::fails);
  planted::check_besides(ran.findings, "4.9");
  CHECK(ran.findings.figures.size() == 2);
}

TEST_CASE("4.9 cannot be told where even the null moves nothing") {
  // Rows of a thousandth change nothing to speak of, and nor do they where they are bilinear.
  const auto small = planted::run(position_strength_experiment(), plain(1e-3));
  CHECK(small.observation("4.9") == Observation::cannot_be_told);
  CHECK(small.value("4.9", "moved_by_doubling") < 0.01);
  // No query and no key: attention is alike everywhere.
  const auto blind = planted::run(
      position_strength_experiment(), planted::model_of(planted::small_sizes(), {}, [](model::Weights& weights) {
        for (const char* name : {"query", "key"}) {
          const std::string full = std::string("encoder.layer.0.attention.self.") + name + ".weight";
          auto values = model::to_floats(weights.at(full));
          std::ranges::fill(values, 0.0F);
          weights.set(full, model::make_tensor(weights.at(full).shape, values));
        }
      }));
  CHECK(blind.value("4.9", "moved_by_doubling") == doctest::Approx(0));
  CHECK(blind.observation("4.9") == Observation::cannot_be_told);
  planted::check_besides(blind.findings, "4.9");
}

TEST_CASE("4.9 holds where the normalisation takes the length of the rows away") {
  // Nothing but positions, whose mean row is 0: the sum is α·p, and α·p normalised is p normalised.
  const auto subject = planted::checkpoint({48, 24}, [](planted::ThreeTables& tables) {
    tables.tokens.setZero();
    tables.segments.setZero();
    const Table rows = 3 * (tables.positions.colwise() - tables.positions.rowwise().mean());
    tables.positions.bottomRows(47) = centred(rows.bottomRows(47));
    tables.positions.row(0).setZero();
  });
  const auto ran = planted::run(position_strength_experiment(), subject);
  INFO(ran.verdicts.at("4.9").reason.en);
  CHECK(ran.value("4.9", "moved_by_doubling_all_rows") < 1e-3);
  CHECK(ran.value("4.9", "moved_by_doubling") < 1e-3);
  CHECK(ran.observation("4.9") == Observation::holds);
  CHECK(ran.inference("4.9") == Inference::does_not_follow);  // the longer part has all the terms
  CHECK(ran.value("4.9", "position_share_of_logits") == doctest::Approx(1));
  CHECK_FALSE(ran.verdicts.at("4.9").conclusion);
}

TEST_CASE("4.9: that the longer need not contribute more is true where it contributes less, whatever is observed") {
  const Experiment experiment = position_strength_experiment();
  const auto ran = planted::run(position_strength_experiment(), plain());
  const auto concluded = [&](const Interval& of_norms, const Interval& of_logits) {
    Numbers numbers;
    for (Number number : ran.findings.numbers.at("4.9").all()) {
      if (number.name == "position_share_of_norms") number.interval = of_norms;
      if (number.name == "position_share_of_logits") number.interval = of_logits;
      numbers.add(std::move(number));
    }
    return experiment.rules.front().judge(numbers).conclusion;
  };
  const Interval little{.low = 0.1, .high = 0.2};
  const Interval half{.low = 0.4, .high = 0.6};
  const Interval much{.low = 0.8, .high = 0.9};
  CHECK(concluded(little, much) == Truth::true_here);
  CHECK(concluded(much, little) == Truth::true_here);
  CHECK_FALSE(concluded(much, much));  // one case in which it does contribute more says nothing of "need not"
  CHECK_FALSE(concluded(half, much));
  CHECK_FALSE(concluded(little, half));
}

TEST_CASE("with a masked-language head the loss is measured") {
  const auto ran = planted::run(position_strength_experiment(),
                                planted::model_of(planted::small_sizes(), {.heads = {model::Head::masked_language}}));
  planted::check_besides(ran.findings, "4.9");
  CHECK(ran.findings.numbers.at("4.9").control("output_doubling_loss") == doctest::Approx(0));
  CHECK(ran.findings.numbers.at("4.9").control("output_doubling_all_rows_loss") == doctest::Approx(0));
}

TEST_CASE("one head, one layer, one segment row and few positions are no obstacle") {
  auto sizes = planted::small_sizes();
  sizes.heads = 1;
  sizes.layers = 1;
  sizes.segments = 1;
  sizes.positions = 12;
  const auto ran = planted::run(position_strength_experiment(), planted::model_of(sizes, {}));
  planted::check_besides(ran.findings, "4.9");
  CHECK(ran.value("4.9", "share_segment") == doctest::Approx(0));
}

TEST_CASE("4.9 of a table alone, or without texts, is a gap") {
  const auto table = planted::run(position_strength_experiment(), planted::subject_of(planted::sine(64, 24)));
  CHECK(table.findings.gaps.contains("4.9"));
  Subject silent = plain();
  silent.corpus.sentences.clear();
  CHECK(planted::run(position_strength_experiment(), silent).findings.gaps.contains("4.9"));
}

TEST_CASE("without the normalisation, twice the positions are twice the cross terms and four times their own") {
  const Subject subject = plain();
  const auto batch = batch_of(subject);
  const FirstLogits logits(subject);
  const auto tables = all_rows_of(subject);
  const auto inputs = strength_inputs(logits, batch, 0, tables, StrengthOf::fixed_sigma, {});
  const auto one = logits.terms(inputs(1), 2);
  const auto two = logits.terms(inputs(2), 2);
  const auto near = [](const Table& a, const Table& b) { return (a - b).cwiseAbs().maxCoeff() < 1e-10; };
  CHECK(near(sum_of(two, LogitGroup::position_position), 4 * sum_of(one, LogitGroup::position_position)));
  CHECK(near(sum_of(two, LogitGroup::cross), 2 * sum_of(one, LogitGroup::cross)));
  CHECK(near(sum_of(two, LogitGroup::common_position), 2 * sum_of(one, LogitGroup::common_position)));
  CHECK(near(sum_of(two, LogitGroup::token_token), sum_of(one, LogitGroup::token_token)));
}

TEST_CASE("strengths beside the model's do what they are named after") {
  const Subject subject = plain();
  const auto batch = batch_of(subject);
  const FirstLogits logits(subject);
  RandomStream stream(1, "turn");
  const Table turn = random_frame(24, 24, stream);
  const auto tables = all_rows_of(subject);
  const auto at = [&](StrengthOf of, double strength) {
    return strength_inputs(logits, batch, 1, tables, of, turn)(strength);
  };
  const auto token = static_cast<size_t>(LogitPart::token);
  const auto position = static_cast<size_t>(LogitPart::position);
  const auto is_nothing = [](const Table& part) { return part.cwiseAbs().maxCoeff() < 1e-12; };
  CHECK(is_nothing(at(StrengthOf::blind, 3)[position]));
  CHECK(at(StrengthOf::blind, 3)[token] == at(StrengthOf::model, 1)[token]);
  CHECK(is_nothing(at(StrengthOf::sigma_alone, 3)[position]));
  CHECK(at(StrengthOf::sigma_alone, 3)[token] == at(StrengthOf::model, 3)[token]);
  CHECK(at(StrengthOf::turned, 1)[position].norm() == doctest::Approx(at(StrengthOf::model, 1)[position].norm()));
}

TEST_CASE("rows are strengthened about their mean, which stays, and row 0 stays unless it is named") {
  const Table rows = plain().positions;
  for (const double strength : {0.0, 0.5, 2.0}) {
    const Table all = strengthened(rows, StrengthenedRows::all, strength);
    const Table others = strengthened(rows, StrengthenedRows::all_but_row_0, strength);
    CHECK((column_means(all) - column_means(rows)).norm() < 1e-12);
    CHECK((column_means(others) - column_means(rows)).norm() < 1e-12);
    CHECK((centred(all) - strength * centred(rows)).norm() < 1e-12);
    CHECK(others.row(0) == rows.row(0));
    CHECK((centred(Table(others.bottomRows(47))) - strength * centred(Table(rows.bottomRows(47)))).norm() < 1e-12);
  }
}

TEST_CASE("words are looked at without special tokens, as queries and as keys") {
  const Subject subject = plain();
  const auto batch = batch_of(subject);
  const FirstLogits logits(subject);
  const auto tables = all_rows_of(subject);
  const auto inputs = strength_inputs(logits, batch, 0, tables, StrengthOf::model, {});
  const std::vector<Eigen::Index> words{1, 2, 4};
  const auto text = text_logits(logits, inputs, kFactors, words);
  double moved = 0;
  double uniform = 0;
  for (size_t head = 0; head < logits.heads(); ++head) {
    const Table own = softmax_rows(logits.terms(inputs(1), head).sum()(words, words));
    moved += divergence(own, softmax_rows(logits.terms(inputs(2), head).sum()(words, words))) / 4;
    uniform += divergence_from_uniform(own) / 4;
  }
  CHECK(text.words.moved[1] == doctest::Approx(moved));
  CHECK(text.words.uniform == doctest::Approx(uniform));
  CHECK(text.all.moved[1] > 0);
  CHECK(text.all.moved[1] != doctest::Approx(text.words.moved[1]));
  const auto position = static_cast<size_t>(LogitPart::position);
  CHECK(text.words.position_norms == doctest::Approx(inputs(1)[position](words, Eigen::all).squaredNorm()));
}

TEST_CASE("the sixteen terms fall into seven groups, whose shares add up to 1") {
  const Subject subject = plain();
  const auto batch = batch_of(subject);
  const FirstLogits logits(subject);
  TermShares shares;
  Table all = Table::Zero(static_cast<Eigen::Index>(batch.length(0)), static_cast<Eigen::Index>(batch.length(0)));
  const auto terms = logits.terms(batch, 0, 0);
  shares.add(terms);
  double total = 0;
  for (const LogitGroup group : kLogitGroups) {
    total += shares.share(group);
    all += sum_of(terms, group);
  }
  CHECK(total == doctest::Approx(1));
  CHECK((all - terms.sum()).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("divergence is that of the formula") {
  Table logits(1, 2);
  logits << 0, std::log(3);
  const Table attention = softmax_rows(logits);
  CHECK(attention(0, 1) == doctest::Approx(0.75));
  CHECK(divergence_from_uniform(attention) == doctest::Approx(0.25 * std::log(0.5) + 0.75 * std::log(1.5)));
  CHECK(divergence(attention, attention) == doctest::Approx(0));
  CHECK((softmax_rows(Table(logits.array() + 1000)) - attention).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("terms are taken out of the first layer's scores alone") {
  const Subject subject = plain();
  const auto batch = batch_of(subject);
  const FirstLogits logits(subject);
  const auto of = [&](LogitChange change) {
    return vectors_with_logits(subject, logits, batch, change, LogitGroup::cross);
  };
  const Table own = of(nothing_less);
  const auto plain_run = run_texts(subject.model->engine(), batch, sentence_vector_of(subject));
  CHECK((own - plain_run.vectors).cwiseAbs().maxCoeff() < 1e-4);
  CHECK((of(less_constant) - own).cwiseAbs().maxCoeff() < 1e-4);
  // All scores 0 is what weights of 0 give, of queries: biases too.
  auto model = changed_model(subject);
  model.replace("encoder.layer.0.attention.self.query.weight", Table::Zero(24, 24));
  model.weights.set("encoder.layer.0.attention.self.query.bias",
                    model::make_tensor({24}, std::vector<float>(24, 0.0F)));
  const auto none = run_texts(model.engine(1), batch, sentence_vector_of(subject));
  CHECK((of(less_all) - none.vectors).cwiseAbs().maxCoeff() < 1e-4);
  CHECK((of(less_all) - own).cwiseAbs().maxCoeff() > 1e-3);
}
