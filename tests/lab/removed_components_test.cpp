// 4.10: pieces of a table in closed form, and what is planted turns the verdict.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lab/experiments/experiments.hpp"
#include "lab/experiments/removed_components/position_pieces.hpp"
#include "lab/statistics/moments.hpp"
#include "tests/lab/besides.hpp"
#include "tests/lab/planted.hpp"
#include "tests/lab/planted_model.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

using Eigen::Index;

constexpr Index kHidden = 24;  // of which 3 components are few

Subject with_positions(const Table& positions) {
  return planted::checkpoint({static_cast<size_t>(positions.rows()), static_cast<size_t>(positions.cols())},
                             [&](planted::ThreeTables& tables) { tables.positions = positions; });
}

bool near(const Table& a, const Table& b) {
  return (a - b).cwiseAbs().maxCoeff() < 1e-9;
}

/// Every column a sinusoid of so many cycles, with its own phase.
Table waves(Index rows, double cycles) {
  Table table(rows, kHidden);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < kHidden; ++j) {
      table(i, j) = std::sin(2 * std::numbers::pi * cycles * static_cast<double>(i) / static_cast<double>(rows) +
                             static_cast<double>(j));
    }
  }
  return table;
}

}  // namespace

TEST_CASE("4.10 fails where positions fill all dimensions, and every number has both besides") {
  const auto ran = planted::run(removed_components_experiment(), with_positions(planted::gaussian(64, kHidden, "all")));
  CHECK(ran.observation("4.10") == Observation::fails);
  CHECK(ran.inference("4.10") == Inference::does_not_follow);
  planted::check_besides(ran.findings, "4.10");
  CHECK(ran.findings.figures.size() == 3);
}

TEST_CASE("4.10 holds where positions lie in two dimensions") {
  const Table narrow = planted::gaussian(64, 2, "narrow") * planted::gaussian(2, kHidden, "where");
  // Two components are all there is: a little of others, so that there is something to remove.
  const auto ran = planted::run(removed_components_experiment(),
                                with_positions(narrow + 1e-3 * planted::gaussian(64, kHidden, "little")));
  CHECK(ran.observation("4.10") == Observation::holds);
  planted::check_besides(ran.findings, "4.10");
  CHECK(ran.value("4.10", "kept_by_few") > 0.99);
  CHECK(ran.value("4.10", "kept_by_1") < 0.95);
}

TEST_CASE("what follows is decided by the components that tell positions apart") {
  // An eight by eight grid in a plane, which is all that the output has.
  Table grid = Table::Zero(64, kHidden);
  for (Index i = 0; i < 64; ++i) {
    grid(i, 3) = 1.1 * static_cast<double>(i % 8);
    grid(i, 7) = static_cast<double>(i * 5 % 64 / 8);
  }
  const auto ran = planted::run(removed_components_experiment(),
                                with_positions(grid + 1e-3 * planted::gaussian(64, kHidden, "little")));
  CHECK(ran.value("4.10", "told_apart_by") == 2);
  CHECK(ran.inference("4.10") == Inference::follows);
}

TEST_CASE("with a masked-language head the loss is measured") {
  const auto ran = planted::run(removed_components_experiment(),
                                planted::model_of(planted::small_sizes(), {.heads = {model::Head::masked_language}}));
  planted::check_besides(ran.findings, "4.10");
  CHECK(std::isfinite(ran.value("4.10", "few_loss")));
  CHECK(std::isfinite(ran.value("4.10", "most_used_component_loss")));
}

TEST_CASE("4.10 of a table alone, of equal rows, without texts, or with few positions is a gap or smaller") {
  const auto gap = [](const Subject& subject) {
    return planted::run(removed_components_experiment(), subject).findings.gaps.contains("4.10");
  };
  CHECK(gap(planted::subject_of(planted::sine(64, 24))));
  CHECK(gap(with_positions(Table::Ones(64, kHidden))));
  CHECK(gap(with_positions(planted::gaussian(6, kHidden, "few"))));
  Subject silent = with_positions(planted::gaussian(64, kHidden, "all"));
  silent.corpus.sentences.clear();
  CHECK(gap(silent));
  auto sizes = planted::small_sizes();
  sizes.positions = 12;
  sizes.segments = 1;
  sizes.heads = 1;
  sizes.layers = 1;
  planted::check_besides(planted::run(removed_components_experiment(), planted::model_of(sizes, {})).findings, "4.10");
}

TEST_CASE("results do not depend on the number of threads") {
  const Subject subject = with_positions(planted::gaussian(64, kHidden, "all"));
  const auto one = planted::run(removed_components_experiment(), subject, 1);
  const auto two = planted::run(removed_components_experiment(), subject, 2);
  for (const auto& number : one.findings.numbers.at("4.10").all()) {
    CAPTURE(number.name);
    CHECK(two.value("4.10", number.name) == number.value);
  }
}

TEST_CASE("components removed and kept add up to the table") {
  const Table table = planted::gaussian(40, 10, "table");
  const PositionPieces pieces(table, {});
  CHECK(pieces.components() == 10);
  CHECK(near(pieces.first_components(10), table));
  CHECK(near(pieces.first_components(0), column_means(table).transpose().replicate(40, 1)));
  // What removing component 0 takes is what keeping one component has beside the mean.
  CHECK(near(table - pieces.without(0), pieces.first_components(1) - pieces.first_components(0)));
  double share = 0;
  for (size_t i = 0; i < 10; ++i) share += pieces.share(i);
  CHECK(share == doctest::Approx(1));
  Table lonely = 1e-2 * table;
  lonely.row(7) += 5 * Vector::Ones(10).transpose();
  CHECK(PositionPieces(lonely, {}).owner(0).row == 7);
  CHECK(PositionPieces(lonely, {}).owner(0).share > 0.9);
  const Table coordinates = pieces.first_coordinates(4);
  CHECK(near(coordinates.leftCols(4), table.leftCols(4)));
  CHECK(coordinates.col(7).minCoeff() == doctest::Approx(coordinates.col(7).maxCoeff()));
}

TEST_CASE("bands are octaves, and together all but the mean row") {
  for (const size_t positions : {16U, 40U, 41U, 512U}) {
    CAPTURE(positions);
    const auto bands = bands_of(positions);
    size_t next = 1;
    for (const auto& band : bands) {
      CHECK(band.first == next);
      CHECK(band.last >= band.first);
      next = band.last + 1;
    }
    CHECK(next == positions / 2 + 1);
    const Table table = planted::gaussian(positions, 5, "table");
    Table left = table;
    double share = 0;
    for (const auto& band : bands) {
      left = without_band(left, band).without;
      share += without_band(table, band).share;
    }
    CHECK(near(left, column_means(table).transpose().replicate(table.rows(), 1)));
    CHECK(share == doctest::Approx(1));
  }
  const auto bands = bands_of(512);
  CHECK(bands.size() == 8);
  CHECK(bands.front().last == 2);  // periods of 512 and 256
  CHECK(bands.back().first == 129);
  CHECK(bands.back().last == 256);
}

TEST_CASE("a wave lies in the band of its period") {
  const Table table = waves(64, 5);  // of 12.8 positions
  for (const auto& band : bands_of(64)) {
    const bool within = band.first <= 5 && 5 <= band.last;
    CHECK(without_band(table, band).share == doctest::Approx(within ? 1 : 0));
    if (within) CHECK(band.words.en == "8 to 16");
  }
}

TEST_CASE("positions on a line are told apart by one component, on a circle by two") {
  Table line = Table::Zero(50, 3);
  line.col(1) = Vector::LinSpaced(50, 0, 1);
  line.col(0) = Vector::Constant(50, 2);
  // Five of them: under that noise fifty would be too close.
  Table few = line(Eigen::seq(0, 49, 12), Eigen::all);
  few += 1e-4 * planted::gaussian(static_cast<size_t>(few.rows()), 3, "little");
  RandomStream stream(1, "line");
  CHECK(PositionPieces(few, {}).telling_apart(stream) == 1);
  Table circle(12, 4);
  circle.setZero();
  for (Index i = 0; i < 12; ++i) {
    circle(i, 0) = std::cos(std::numbers::pi * static_cast<double>(i) / 6);
    circle(i, 3) = std::sin(std::numbers::pi * static_cast<double>(i) / 6);
  }
  circle += 1e-4 * planted::gaussian(12, 4, "little");
  RandomStream other(1, "circle");
  CHECK(PositionPieces(circle, {}).telling_apart(other) == 2);
}
