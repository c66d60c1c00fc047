#include <doctest/doctest.h>

#include <cmath>

#include "base/error.hpp"
#include "lab/statistics/neighbours.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/tsne.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

constexpr double kEmbeddingRounding = 1e-10;

/// Three clouds far apart, 30 rows each.
Table clouds() {
  Table table = planted::gaussian(90, 8, "clouds");
  for (Eigen::Index row = 0; row < 90; ++row) table(row, row / 30) += 20;
  return table;
}

}  // namespace

TEST_CASE("distances are those of the rows, far from the origin too") {
  const Table table = planted::gaussian(20, 5, "distances").array() + 1e4;
  const Table squares = squared_distances(table);
  for (Eigen::Index i = 0; i < 20; ++i) {
    for (Eigen::Index j = 0; j < 20; ++j) {
      CHECK(squares(i, j) == doctest::Approx((table.row(i) - table.row(j)).squaredNorm()).epsilon(1e-9));
    }
  }
  CHECK(squares == squares.transpose());
}

TEST_CASE("a path's neighbours are its neighbours, and noise's are not") {
  Table line(50, 1);
  for (Eigen::Index i = 0; i < 50; ++i) line(i, 0) = static_cast<double>(i);
  for (const size_t count : {1, 4, 10}) CHECK(neighbour_continuity(line, count) == 1);
  CHECK(neighbour_continuity(planted::walk(512, 768, "walk"), 8) > 0.99);
  // By chance 16 of 511 others lie within ±8; a fraction of 512·8 has a standard error below .004.
  CHECK(neighbour_continuity(planted::gaussian(512, 768, "noise"), 8) == doctest::Approx(16.0 / 511).epsilon(0.5));
  CHECK_THROWS_AS(static_cast<void>(neighbour_continuity(line, 50)), summand::UsageError);
}

TEST_CASE("a copy is trusted wholly and one swap costs its ranks") {
  const Table table = planted::gaussian(30, 4, "trusted");
  CHECK(trustworthiness(table, 7 * table, 5) == 1);
  // Rows 0 … 6 on a line with growing gaps; in the embedding row 6 lies upon row 0. With one neighbour each: row 0
  // takes row 6, rank 6; row 6 takes row 0, rank 6; no other row's nearest changes.
  Table line(7, 1);
  line << 0, 1, 2.1, 3.3, 4.6, 6, 7.5;
  Table moved = line;
  moved(6, 0) = -0.1;
  CHECK(trustworthiness(line, moved, 1) == doctest::Approx(1 - 2.0 / (7 * (14 - 3 - 1)) * (5 + 5)));
}

TEST_CASE("joint probabilities are symmetric, sum to one, and every row has the perplexity") {
  const Table table = clouds();
  const Table joint = joint_probabilities(table, 12);
  CHECK(joint == joint.transpose());
  CHECK(joint.sum() == doctest::Approx(1).epsilon(kEmbeddingRounding));
  CHECK(joint.diagonal().cwiseAbs().maxCoeff() == 0);
  // Rows on a circle all look alike: there the joint row is the conditional one, and its entropy shows the perplexity.
  Table circle(60, 2);
  for (Eigen::Index i = 0; i < 60; ++i) {
    circle(i, 0) = std::cos(static_cast<double>(i) * 2 * 3.14159265358979 / 60);
    circle(i, 1) = std::sin(static_cast<double>(i) * 2 * 3.14159265358979 / 60);
  }
  const Table of_circle = 60 * joint_probabilities(circle, 12);
  double entropy = 0;
  for (const double p : of_circle.row(7)) entropy -= p > 0 ? p * std::log(p) : 0;
  CHECK(std::exp(entropy) == doctest::Approx(12).epsilon(1e-6));
  CHECK_THROWS_AS(static_cast<void>(joint_probabilities(table, 90)), summand::UsageError);
}

TEST_CASE("the gradient is the objective's slope") {
  const Table joint = joint_probabilities(clouds(), 12);
  const Table y = planted::gaussian(90, 2, "embedding");
  const Table gradient = tsne_gradient(joint, y);
  constexpr double kStep = 1e-5;
  for (Eigen::Index i = 0; i < y.size(); i += 7) {
    Table up = y;
    Table down = y;
    up.data()[i] += kStep;
    down.data()[i] -= kStep;
    const double slope = (tsne_objective(joint, up) - tsne_objective(joint, down)) / (2 * kStep);
    CHECK(std::abs(slope - gradient.data()[i]) < 1e-8);
  }
}

TEST_CASE("the objective is 0 where both laws are one") {
  const Table y = planted::gaussian(15, 2, "equal laws");
  Table kernel = (squared_distances(y).array() + 1).inverse();
  kernel.diagonal().setZero();
  const Table joint = kernel / kernel.sum();
  CHECK(std::abs(tsne_objective(joint, y)) < 1e-12);
  CHECK(tsne_gradient(joint, y).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("t-SNE ends where its gradient vanishes") {
  const Table table = planted::walk(120, 8, "t-SNE");
  const auto result = tsne(table, {.perplexity = 15});
  const Table joint = joint_probabilities(table, 15);
  const double there = tsne_gradient(joint, result.embedding).cwiseAbs().maxCoeff();
  CHECK(there == doctest::Approx(result.gradient));
  CHECK(there < 1e-3 * tsne_gradient(joint, 1.1 * result.embedding).cwiseAbs().maxCoeff());
}

TEST_CASE("t-SNE keeps clouds apart and makes its objective small") {
  const Table table = clouds();
  const auto result = tsne(table, {
                                      .perplexity = 12,
                                  });
  const Table joint = joint_probabilities(table, 12);
  CHECK(result.objective == doctest::Approx(tsne_objective(joint, result.embedding)).epsilon(1e-9));
  CHECK(result.objective < 0.8 * tsne_objective(joint, principal_components(table, 2).scores));
  const Table squares = squared_distances(result.embedding);
  double inside = 0;
  double across = 1e300;
  for (Eigen::Index i = 0; i < 90; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      if (i / 30 == j / 30) inside = std::max(inside, squares(i, j));
      if (i / 30 != j / 30) across = std::min(across, squares(i, j));
    }
  }
  CHECK(inside < across);
  CHECK(trustworthiness(table, result.embedding, 7) > 0.9);
}
