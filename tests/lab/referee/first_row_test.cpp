// Row 0 of the positions and the token row of [CLS] always meet: what one holds the other could. And tables whose rows
// lie on coordinates of their own.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "lab/experiments/experiments.hpp"
#include "lab/probing/changed_model.hpp"
#include "tests/lab/planted.hpp"
#include "tests/lab/planted_model.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

constexpr int64_t kHidden = 64;
constexpr int64_t kRows = 512;
constexpr int64_t kCls = 2;
constexpr const char* kTokens = "embeddings.word_embeddings.weight";
constexpr const char* kPositions = "embeddings.position_embeddings.weight";
constexpr const char* kSegments = "embeddings.token_type_embeddings.weight";

/// Rows that are random on columns first … end − 1 and 0 elsewhere, each with mean 0.
Table block(Eigen::Index rows, Eigen::Index first, Eigen::Index end, const std::string& name) {
  Table table = Table::Zero(rows, kHidden);
  table.middleCols(first, end - first) = planted::gaussian(rows, end - first, name) * 0.06;
  table.middleCols(first, end - first).colwise() -= Vector(table.rowwise().sum() / static_cast<double>(end - first));
  return table;
}

/// A checkpoint with these tables. @param moved  from [CLS]'s token row to position row 0, along ±1 in turns
Subject with_tables(const Table& tokens, const Table& positions, const Table& segments, double moved) {
  const test::Sizes sizes{
      .hidden = kHidden, .heads = 4, .intermediate = 64, .positions = kRows, .vocabulary = tokens.rows()};
  return planted::model_of(sizes, {}, [&](model::Weights& weights) {
    Eigen::RowVectorXd direction = Eigen::RowVectorXd::Ones(kHidden) / std::sqrt(static_cast<double>(kHidden));
    for (Eigen::Index i = 1; i < kHidden; i += 2) direction(i) = -direction(i);
    Table words = tokens;
    Table rows = positions;
    words.row(kCls) -= moved * direction;
    rows.row(0) += moved * direction;
    weights.set(kTokens, tensor_of(words));
    weights.set(kPositions, tensor_of(rows));
    weights.set(kSegments, tensor_of(segments));
  });
}

const Eigen::Index kVocabulary = 5 + planted::kWords;

Subject even_tables(double moved) {
  Table segments = block(2, 0, kHidden, "segments");
  segments.row(1) = -segments.row(0);
  return with_tables(block(kVocabulary, 0, kHidden, "words"), block(kRows, 0, kHidden, "positions"), segments, moved);
}

bool opposite(const Verdict& one, const Verdict& other) {
  const auto both = [](auto a, auto b, auto yes, auto no) { return (a == yes && b == no) || (a == no && b == yes); };
  return both(one.observation, other.observation, Observation::holds, Observation::fails) ||
         both(one.inference, other.inference, Inference::follows, Inference::does_not_follow);
}

}  // namespace

TEST_CASE("0.1 to 0.10, 3.4, 4.6, 4.8, E1: a vector moved between row 0 and [CLS] turns no verdict to its opposite") {
  const Subject plain = even_tables(0);
  size_t firm = 0;
  for (const auto& experiment : {initialisation_experiment(), norms_experiment(), subspaces_experiment(),
                                 variance_shares_experiment(), covariance_experiment()}) {
    const auto before = planted::run(experiment, plain);
    for (const double length : {16.0, 256.0}) {
      const auto after = planted::run(experiment, even_tables(length));
      for (const auto& [claim, verdict] : before.verdicts) {
        CAPTURE(claim);
        CAPTURE(length);
        CAPTURE(after.verdicts.at(claim).reason.en);
        CHECK_FALSE(opposite(verdict, after.verdicts.at(claim)));
        firm += verdict.observation == Observation::holds || verdict.observation == Observation::fails ? 1U : 0U;
      }
    }
  }
  CHECK(firm >= 10);
}

TEST_CASE("0.6: tables on coordinates of their own keep apart, in whatever order these are") {
  const auto overlap = [](Eigen::Index tokens, Eigen::Index positions) {
    const Subject subject =
        with_tables(block(kVocabulary, tokens, tokens + 9, "words"),
                    block(kRows, positions, positions + 28, "positions"), block(2, 28, 31, "segments"), 0);
    const auto ran = planted::run(subspaces_experiment(), subject);
    CAPTURE(ran.verdicts.at("0.6").reason.en);
    CHECK(ran.verdicts.at("0.6").observation == Observation::holds);
    return ran.findings.numbers.at("0.6").value("overlap");
  };
  for (const auto& [tokens, positions] : {std::pair{0, 36}, {55, 0}, {40, 0}}) {
    CAPTURE(tokens);
    CHECK(overlap(tokens, positions) < 1e-20);
  }
}
