// The first layer's logits as sums of 4 × 4 terms, against the reference's and the engine's.
#include "lab/probing/first_logits.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/probing/changed_model.hpp"
#include "lab/probing/texts.hpp"
#include "lab/probing/watch.hpp"
#include "lab/statistics/moments.hpp"
#include "reference/bert.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

Subject drawn_model() {
  // Rows far from zero mean, so that the common part is no small one.
  return planted::checkpoint({40, 24}, [](planted::ThreeTables& tables) {
    tables.positions.array() += 0.2;
    tables.tokens.col(3).array() -= 0.5;
  });
}

model::Batch batch_of(const Subject& subject) {
  RandomStream stream(1, "texts");
  return texts_of(subject, {.most = 6}, stream).batch;
}

template <class Scalar>
Table table_of(MatrixView<Scalar> values) {
  Table table(static_cast<Eigen::Index>(values.rows()), static_cast<Eigen::Index>(values.columns()));
  for (size_t i = 0; i < values.rows(); ++i) {
    for (size_t j = 0; j < values.columns(); ++j) {
      table(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = double{values(i, j)};
    }
  }
  return table;
}

/// The first layer's scores by head of one text, through the double-precision reference.
std::vector<Table> scores_of_reference(const ChangedModel& model, const model::Batch& batch, size_t text) {
  std::vector<Table> scores;
  Watch<double> watch({model::TapPoint::scores}, [&](const model::TapSite& site, MatrixView<double> values) {
    if (site.layer == 0) scores.push_back(table_of(values));
  });
  (void)reference::Bert<double>(model.config, model.weights).run(batch, text, &watch);
  return scores;
}

}  // namespace

TEST_CASE("the sixteen terms add up to the reference's logits") {
  const Subject subject = drawn_model();
  const auto batch = batch_of(subject);
  REQUIRE(std::ranges::count(batch.segments, 1) > 0);
  const FirstLogits logits(subject);
  CHECK(logits.heads() == 4);
  const auto model = changed_model(subject);
  for (size_t text = 0; text < batch.texts(); ++text) {
    const auto scores = scores_of_reference(model, batch, text);
    REQUIRE(scores.size() == 4);
    for (size_t head = 0; head < scores.size(); ++head) {
      CHECK((logits.terms(batch, text, head).sum() - scores[head]).cwiseAbs().maxCoeff() < 1e-9);
    }
  }
}

TEST_CASE("other position rows are seen by queries and keys, and by the normalisation, as they are given") {
  const Subject subject = drawn_model();
  const auto batch = batch_of(subject);
  const FirstLogits logits(subject);
  for (const double strength : {0.0, 0.5, 3.0}) {
    const Table other = strength * subject.positions;
    auto model = changed_model(subject);
    model.replace_positions(other);
    const auto scores = scores_of_reference(model, batch, 0);
    // The reference's table is rounded to single precision.
    const Table sum = logits.terms(logits.inputs(batch, 0, other, other), 1).sum();
    CHECK((sum - scores[1]).cwiseAbs().maxCoeff() < 1e-5);
    CHECK((sum - logits.logits(logits.inputs(batch, 0, other, other), 1)).cwiseAbs().maxCoeff() < 1e-10);
  }
  // Rows that are all the mean row are no part; a σ of other rows scales every part alike.
  const Table mean_rows = column_means(subject.positions).transpose().replicate(subject.positions.rows(), 1);
  CHECK(logits.inputs(batch, 0, mean_rows, mean_rows)[1].cwiseAbs().maxCoeff() < 1e-12);
  const auto own = logits.inputs(batch, 0);
  const auto by_other = logits.inputs(batch, 0, subject.positions, 3 * subject.positions);
  const double ratio = by_other[0](1, 0) / own[0](1, 0);
  CHECK(ratio < 1);
  CHECK((by_other[1].row(1) - ratio * own[1].row(1)).cwiseAbs().maxCoeff() < 1e-10);
}

TEST_CASE("the terms add up to the engine's logits, at float precision") {
  const Subject subject = drawn_model();
  const auto batch = batch_of(subject);
  const FirstLogits logits(subject);
  double largest = 0;
  size_t compared = 0;
  Watch<float> watch({model::TapPoint::scores}, [&](const model::TapSite& site, MatrixView<float> values) {
    if (site.layer > 0) return;
    const Table own = logits.terms(batch, site.text, site.head).sum();
    largest = std::max(largest, (own - table_of(values)).cwiseAbs().maxCoeff());
    ++compared;
  });
  subject.model->engine().run(batch, {.hidden_states = {1}, .taps = &watch});
  CHECK(compared == 4 * batch.texts());
  CHECK(largest < 1e-4);
}

TEST_CASE("a part that is not there has no term, and no other part takes its place") {
  const auto without = [](Eigen::Index rows) {
    return [rows](planted::ThreeTables& tables) {
      if (rows == 0) tables.positions.rowwise() = lab::Table(tables.positions).row(0);
      if (rows == 1) tables.segments.rowwise() = lab::Table(tables.segments).row(0);
    };
  };
  const Subject positions = planted::checkpoint({40, 24}, without(0));
  const Subject segments = planted::checkpoint({40, 24}, without(1));
  const auto largest = [](const Subject& subject, LogitPart part) {
    const auto terms = FirstLogits(subject).terms(batch_of(subject), 0, 2);
    double value = 0;
    for (const LogitPart other : {LogitPart::token, LogitPart::position, LogitPart::segment, LogitPart::common}) {
      value =
          std::max({value, terms.at(part, other).cwiseAbs().maxCoeff(), terms.at(other, part).cwiseAbs().maxCoeff()});
    }
    return value;
  };
  CHECK(largest(positions, LogitPart::position) < 1e-12);
  CHECK(largest(positions, LogitPart::segment) > 1e-3);
  CHECK(largest(segments, LogitPart::segment) < 1e-12);
  CHECK(largest(segments, LogitPart::position) > 1e-3);
}

TEST_CASE("a constant moved from one table to another changes no term") {
  // W + c with P − c is the same model: centred parts, and so every term, are the same.
  const Subject subject = drawn_model();
  Subject moved = subject;
  const Vector constant = Vector::LinSpaced(subject.tokens.cols(), -0.7, 0.4);
  moved.tokens.rowwise() += constant.transpose();
  moved.positions.rowwise() -= constant.transpose();
  const auto batch = batch_of(subject);
  const auto own = FirstLogits(subject).terms(batch, 1, 3);
  const auto other = FirstLogits(moved).terms(batch, 1, 3);
  for (size_t query = 0; query < kLogitParts; ++query) {
    for (size_t key = 0; key < kLogitParts; ++key) {
      CHECK((own.of[query][key] - other.of[query][key]).cwiseAbs().maxCoeff() < 1e-10);
    }
  }
}
