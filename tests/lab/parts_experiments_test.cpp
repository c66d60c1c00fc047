// The experiments on the three parts of the sum: what is planted in a checkpoint turns their verdicts.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/half_away_from_zero.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/variance_shares/part_rows.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/probing/fold.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;
using planted::Ran;
using planted::run;

namespace {

constexpr Index kHidden = 64;
constexpr Index kPositions = 48;

/// Random tables of one size; the positions' rows may be scaled.
Subject planted_subject(double position_scale = 1) {
  return planted::checkpoint({kPositions, kHidden},
                             [&](planted::ThreeTables& tables) { tables.positions *= position_scale; });
}

const Subject& plain() {
  static const Subject subject = planted_subject();
  return subject;
}

Table noise(Index rows, Index columns, const char* name) {
  RandomStream stream(21, name);
  return white_noise({static_cast<size_t>(rows), static_cast<size_t>(columns)}, stream);
}

std::vector<Experiment> all() {
  return {norms_experiment(),    variance_shares_experiment(), subspaces_experiment(),
          decoding_experiment(), folding_experiment(),         probes_experiment()};
}

/// Tables on disjoint coordinates, turned so that no coordinate shows it.
Subject concatenation_in_disguise() {
  return planted::checkpoint({kPositions, kHidden}, planted::disguise_a_concatenation);
}

}  // namespace

TEST_CASE("which rows are longer decides the claim on norms, and no length moves an input") {
  Subject longer = plain();
  longer.tokens *= 3;
  Subject shorter = plain();
  shorter.positions *= 3;
  CHECK(run(norms_experiment(), longer).observation("4.8") == Observation::holds);
  CHECK(run(norms_experiment(), shorter).observation("4.8") == Observation::fails);
  CHECK(run(norms_experiment(), plain()).observation("4.8") == Observation::cannot_be_told);
  const Ran ran = run(norms_experiment(), plain());
  CHECK(ran.value("0.4", "largest_difference") == 0);
  CHECK(ran.value("0.4", "range_of_sigma") == 0);
  CHECK(ran.findings.numbers.at("0.4").control("largest_difference") > 0.01);
  CHECK(ran.observation("0.4") == Observation::fails);
  CHECK(ran.inference("0.4") == Inference::does_not_follow);
  CHECK(ran.findings.numbers.at("0.4").control("range_of_sigma") > 0);
  const Numbers& norms = ran.findings.numbers.at("4.8");
  CHECK(norms.all().front().name == "centred_ratio");
  CHECK(norms.value("mean_token_norm") / norms.value("mean_position_norm") ==
        doctest::Approx(norms.value("raw_ratio")));
  CHECK(norms.control("centred_ratio") == doctest::Approx(2));
  CHECK(norms.control("token_centred_mean") == doctest::Approx(2));
  CHECK(norms.control("position_centred_mean") == doctest::Approx(1));
}

TEST_CASE("rows dealt at random are as long in every table") {
  Subject longer = plain();
  longer.tokens *= 3;
  const Numbers norms = run(norms_experiment(), longer).findings.numbers.at("4.8");
  CHECK(norms.value("centred_ratio") > 2.5);
  CHECK(norms.null("centred_ratio") == doctest::Approx(1).epsilon(0.15));
  CHECK(norms.null("raw_ratio_corpus") == doctest::Approx(1).epsilon(0.25));
}

TEST_CASE("a constant moved from one table to another changes raw norms and no centred one") {
  Subject moved = plain();
  // No number added to all coordinates: that one the normalisation takes out.
  const Eigen::RowVectorXd constant =
      Eigen::RowVectorXd::NullaryExpr(kHidden, [](Index i) { return i % 2 == 0 ? 0.7 : -0.7; });
  moved.tokens.rowwise() += constant;
  moved.positions.rowwise() -= constant;
  const Ran before = run(norms_experiment(), plain());
  const Ran after = run(norms_experiment(), moved);
  CHECK(after.value("4.8", "mean_token_norm") > before.value("4.8", "mean_token_norm") + 0.5);
  CHECK(after.value("4.8", "centred_ratio") == doctest::Approx(before.value("4.8", "centred_ratio")));
}

TEST_CASE("dimensions that are planted as the positions' are found, and short positions own none") {
  Subject owners = plain();
  owners.positions *= 0.2;
  for (Index d = 0; d < kHidden; d += 16) owners.positions.col(d) *= 20;
  Subject small = plain();
  small.positions *= 0.2;
  const Ran ran = run(variance_shares_experiment(), owners);
  CHECK(ran.observation("0.1") == Observation::holds);
  CHECK(ran.value("0.1", "dominated_dimensions_words") == doctest::Approx(4.0 / 64));
  CHECK(ran.value("0.1", "dominated") > 0.3);
  CHECK(ran.inference("0.1") == Inference::does_not_follow);
  CHECK(run(variance_shares_experiment(), small).observation("0.1") == Observation::fails);
  const Numbers& numbers = ran.findings.numbers.at("0.1");
  // Turned, the positions have the same variance and own no dimension of their own.
  CHECK(numbers.null("position_share_words") == doctest::Approx(numbers.value("position_share_words")).epsilon(0.1));
  CHECK(numbers.value("dominated") > numbers.value("dominated_turned"));
  CHECK(numbers.control("dominated_dimensions_words") == doctest::Approx(7.0 / 64));
}

TEST_CASE("the normalisation unifies scales and not the mix") {
  const Ran ran = run(variance_shares_experiment(), plain());
  CHECK(ran.observation("Q8c") == Observation::fails);
  CHECK(ran.value("Q8c", "uneven_before") > 0.01);
  CHECK(ran.value("Q8c", "uneven_after") < 1e-6);
  const Numbers& numbers = ran.findings.numbers.at("Q8c");
  CHECK(numbers.control("uneven_before") > 0.2);
  CHECK(numbers.control("uneven_after") < 1e-6);
  CHECK(numbers.control("variance_sum") == doctest::Approx(4).epsilon(0.05));
  CHECK(numbers.null("variance_sum") == numbers.value("variance_token"));
}

TEST_CASE("a sinusoid lies in the first dimensions, a random table nowhere") {
  Subject wave = plain();
  wave.positions = sinusoid({kPositions, kHidden});
  const Ran of_wave = run(variance_shares_experiment(), wave);
  CHECK(of_wave.observation("3.4") == Observation::holds);
  CHECK(of_wave.inference("3.4") != Inference::not_tested);
  const Ran of_noise = run(variance_shares_experiment(), plain());
  CHECK(of_noise.observation("3.4") == Observation::holds);  // of the document's sinusoid, whatever the table here
  CHECK(of_noise.inference("3.4") == Inference::not_tested);
}

TEST_CASE("shares add up to one before and behind the normalisation") {
  const InputParts parts = input_parts(plain());
  const PartRows rows = part_rows(parts, corpus_items(plain()).items);
  for (const auto& shares : {dimension_shares(rows), dimension_shares(normalised(rows, first_norm(plain())))}) {
    const Vector sum = shares.common + shares.token + shares.position + shares.segment;
    CHECK((sum.array() - 1).abs().maxCoeff() < 1e-9);
  }
}

TEST_CASE("of tokens that do not vary, nothing lies outside the dimensions that positions dominate") {
  PartRows rows = part_rows(input_parts(plain()), corpus_items(plain()).items);
  CHECK(dimension_shares(rows).tokens_where_dominated() < 1);
  rows.token.rowwise() = rows.token.row(0).eval();
  CHECK(dimension_shares(rows).tokens_where_dominated() == 1);
}

TEST_CASE("positions that are all equal are a named gap, and nothing is read from their sums") {
  Subject constant = plain();
  constant.positions.rowwise() = constant.positions.row(0).eval();
  const Ran shares = run(variance_shares_experiment(), constant);
  CHECK(shares.findings.gaps.contains("0.1"));
  CHECK(shares.findings.gaps.contains("3.4"));
  CHECK(run(subspaces_experiment(), constant).findings.gaps.contains("0.6"));
  const Ran ran = run(decoding_experiment(), constant);
  CHECK(ran.observation("3.1") == Observation::cannot_be_told);  // set side by side, they are as much alike
  CHECK(ran.value("3.1", "side_by_side") == 0);
  CHECK(ran.value("3.1", "sum_exact") == 0);
  const Numbers numbers = run(decoding_experiment(), plain()).findings.numbers.at("3.1");
  for (const char* form : {"sum_", "normalised_"}) {
    CAPTURE(form);
    const auto name = [&](const char* of) { return std::string(form) + of; };
    CHECK(numbers.null(name("exact")) == 0);
    CHECK(numbers.null(name("margin_median")) == 0);
    CHECK(numbers.control(name("exact")) == 1);
    CHECK(numbers.control(name("margin_least")) > 0);
  }
}

TEST_CASE("a segment that is a direction of the positions is redundant, one of its own is not") {
  Subject redundant = plain();
  redundant.segments.row(1) = redundant.segments.row(0) + plain().positions.row(9) - plain().positions.row(3);
  const Ran ran = run(subspaces_experiment(), redundant);
  CHECK(ran.value("0.2", "share_inside") > 0.3);
  CHECK(run(subspaces_experiment(), concatenation_in_disguise()).observation("0.2") == Observation::fails);
}

TEST_CASE("equal segments and a single one are named gaps") {
  Subject equal = plain();
  equal.segments.row(1) = equal.segments.row(0).eval();
  CHECK(run(subspaces_experiment(), equal).findings.gaps.contains("0.2"));
  CHECK(run(decoding_experiment(), equal).observation("3.1") == Observation::cannot_be_told);
  Subject single = plain();
  single.segments = plain().segments.topRows(1);
  CHECK(run(subspaces_experiment(), single).findings.gaps.contains("0.2"));
  for (const auto& experiment : all()) {
    CAPTURE(experiment.name);
    (void)run(experiment, single);
  }
}

TEST_CASE("a concatenation in disguise shares no direction and decodes; positions among the tokens' first share all") {
  const Ran disguised = run(subspaces_experiment(), concatenation_in_disguise());
  CHECK(disguised.observation("0.6") == Observation::holds);
  CHECK(disguised.value("0.6", "overlap") < 1e-6);
  CHECK(disguised.value("0.6", "token_energy") < 1e-6);
  CHECK(disguised.value("0.6", "smallest_angle") == doctest::Approx(90));
  CHECK(disguised.value("0.6", "overlap_last") < 1e-6);  // of directions that hold energy, the last neither
  CHECK(run(decoding_experiment(), concatenation_in_disguise()).observation("3.1") == Observation::fails);

  Subject aligned = plain();
  aligned.tokens.leftCols(20) *= 4;
  aligned.positions.rightCols(kHidden - 20) *= 0.05;
  const Ran ran = run(subspaces_experiment(), aligned);
  CHECK(ran.observation("0.6") == Observation::fails);
  CHECK(ran.inference("0.6") == Inference::does_not_follow);
}

TEST_CASE("only sparse tokens have a sparsity to lose") {
  Subject sparse = plain();
  const Table mask = noise(sparse.tokens.rows(), kHidden, "mask");
  sparse.tokens = (mask.array() > 1.6).select(4 * sparse.tokens.array(), 0.0);
  CHECK(run(subspaces_experiment(), sparse).observation("0.10") == Observation::holds);
  CHECK(run(subspaces_experiment(), plain()).observation("0.10") == Observation::fails);
}

TEST_CASE("concatenate and project equals the sum of its folded tables, and of no others") {
  RandomStream stream(4, "map");
  const Projection map = Projection::drawn(kHidden, stream);
  const Projection other = Projection::drawn(kHidden, stream);
  RandomStream of_items(4, "items");
  const auto items = uniform_items(plain(), 50, of_items);
  CHECK(fold_difference(plain(), items, map, map) < kFoldRounding);
  CHECK(fold_difference(plain(), items, map, other) > 0.1);
  const Ran ran = run(folding_experiment(), plain());
  CHECK(ran.value("3.2", "fold_through_model") < 1e-4);
  CHECK(ran.findings.numbers.at("3.2").null("fold_through_model") > 0.1);
  CHECK(ran.observation("3.2") == Observation::holds);
  CHECK(ran.inference("3.2") == Inference::does_not_follow);
  CHECK(ran.inference("0.5") == Inference::does_not_follow);
  CHECK(ran.findings.numbers.at("3.2").control("fold_through_model") < 1e-4);
  CHECK(ran.findings.numbers.at("0.5").control("parameters_sum") == 3.0 * kHidden * (3 * kHidden + 1));
  CHECK(ran.findings.numbers.at("0.5").null("operations_vector_gate") == 2.0 * kHidden);
}

TEST_CASE("probes read positions where there are some") {
  const Ran with = run(probes_experiment(), plain());
  const Ran without = run(probes_experiment(), planted_subject(0));
  CHECK(with.value("3.3", "position_input") > 0.5);
  CHECK(with.value("3.3", "token_input") > 0.5);
  CHECK(without.value("3.3", "position_input") < 0.15);
  CHECK(without.value("3.3", "token_input") > 0.5);
  CHECK(without.observation("3.3") != Observation::holds);
  CHECK(with.findings.numbers.at("3.3").control("position_input") > 0.9);
}

TEST_CASE("an answer that rests on a few draws gives the bounds of each share, in sentences") {
  const Ran ran = run(decoding_experiment(), plain());
  const Experiment experiment = decoding_experiment();
  const LocalizedText answer = experiment.answer(ran.findings, ran.verdicts);
  for (const auto* name : {"normalised_exact", "normalised_noise_10", "normalised_noise_30"}) {
    const Interval bounds = ran.findings.numbers.at("3.1").at(name).interval.value();
    const std::string text =
        fmt::format("[{:.3g}, {:.3g}]", HalfAwayFromZero{100 * bounds.low}, HalfAwayFromZero{100 * bounds.high});
    CAPTURE(text);
    CHECK(answer.en.find(text) != std::string::npos);
    CHECK(answer.zh.find(text) != std::string::npos);
  }
  CHECK(answer.en.find("at this width") == std::string::npos);
}

TEST_CASE("every number on the three parts has a null and a control of the same kind beside it") {
  for (const auto& experiment : all()) {
    CAPTURE(experiment.name);
    // A full run: a quick one leaves numbers out.
    const Findings findings = experiment.run(plain(), {.seed = 0, .quick = false, .threads = 2});
    CHECK(findings.gaps.empty());
    for (const auto& rule : experiment.rules) {
      CAPTURE(rule.claim);
      CHECK_FALSE(findings.numbers.at(rule.claim).all().empty());
      for (const auto& number : findings.numbers.at(rule.claim).all()) {
        CAPTURE(number.name);
        CHECK(std::isfinite(number.value));
        for (const auto& beside : {number.null, number.control}) {
          REQUIRE(beside.has_value());
          CHECK(std::isfinite(beside->value));
          CHECK_FALSE(beside->of.en.empty());
          CHECK_FALSE(beside->of.zh.empty());
          if (beside->interval) CHECK(beside->interval->low <= beside->interval->high);
        }
      }
    }
  }
}

TEST_CASE("a table alone is a gap in every claim on the three parts") {
  Subject alone;
  alone.name = "table";
  alone.positions = plain().positions;
  for (const auto& experiment : all()) {
    CAPTURE(experiment.name);
    const Ran ran = run(experiment, alone);
    for (const auto& rule : experiment.rules) CHECK(ran.findings.gaps.contains(rule.claim));
  }
}

TEST_CASE("no number depends on the threads") {
  for (const auto& experiment : all()) {
    CAPTURE(experiment.name);
    const Ran one = run(experiment, plain(), 1);
    const Ran two = run(experiment, plain(), 2);
    for (const auto& [claim, numbers] : one.findings.numbers) {
      for (const auto& number : numbers.all()) {
        CAPTURE(number.name);
        CHECK(two.findings.numbers.at(claim).value(number.name) == number.value);
      }
    }
  }
}

TEST_CASE("rows that no text reaches change nothing that is read off the token table") {
  constexpr size_t kUnreached = 12;
  const auto with = [&](double size) {
    return planted::checkpoint(
        {kPositions, kHidden},
        [&](planted::ThreeTables& tables) {
          tables.tokens.bottomRows(kUnreached) = size * tables.positions.topRows(kUnreached);
        },
        {}, kUnreached);
  };
  const Subject small = with(1);
  const Subject large = with(50);
  CHECK(small.tokens != large.tokens);
  CHECK(reached_tokens(small) == reached_tokens(large));
  const Table reached = reached_tokens(small);
  CHECK(reached.topRows(reached.rows() - kUnreached) == small.tokens.topRows(reached.rows() - kUnreached));
  // Of an even share of the others, each row of it once.
  CHECK(reached.row(reached.rows() - kUnreached) == small.tokens.row(0));
  for (Index i = 1; i < Index{kUnreached}; ++i) {
    CHECK(reached.row(reached.rows() - i) != reached.row(reached.rows() - i - 1));
  }
  for (const auto& experiment : {subspaces_experiment(), norms_experiment(), variance_shares_experiment()}) {
    CAPTURE(experiment.name);
    const auto a = run(experiment, small);
    const auto b = run(experiment, large);
    for (const auto& [claim, verdict] : a.verdicts) CHECK(b.verdicts.at(claim).reason.en == verdict.reason.en);
  }
}

TEST_CASE("intervals over texts are asked of four texts or more") {
  Subject subject = planted_subject();
  subject.corpus.sentences.resize(3);
  const auto few = run(variance_shares_experiment(), subject);
  for (const char* claim : {"0.1", "Q8c"}) {
    CHECK(few.verdicts.at(claim).observation == Observation::not_measured);
    CHECK(few.findings.gaps.at(claim).en.find("needs at least 4 texts") != std::string::npos);
  }
  CHECK(few.verdicts.at("3.4").observation != Observation::not_measured);
}
