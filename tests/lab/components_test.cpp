#include <doctest/doctest.h>

#include <Eigen/SVD>
#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/similarity.hpp"
#include "lab/statistics/subspaces.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

/// Through the Gram matrix directions of a well-conditioned table keep twelve digits.
constexpr double kGram = 1e-10;

/// [rows, columns] with these singular values: orthonormal factors of two planted frames. Its columns' means are not 0.
Table of_values(size_t rows, size_t columns, const Vector& values) {
  summand::RandomStream stream(5, "factors");
  const auto rank = static_cast<size_t>(values.size());
  const Table left = random_frame(rank, rows, stream).transpose();
  const Table right = random_frame(rank, columns, stream);
  return left * values.asDiagonal() * right;
}

}  // namespace

TEST_CASE("singular vectors are those of Eigen's two-sided method, tall or wide") {
  for (const auto& [rows, columns] : {std::pair<size_t, size_t>{30, 12}, {12, 30}, {20, 20}}) {
    const Table table = planted::gaussian(rows, columns, "singular");
    const Eigen::JacobiSVD<Eigen::MatrixXd> reference(table, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const auto ours = singular_vectors(table);
    REQUIRE(ours.values.size() == reference.singularValues().size());
    CHECK((ours.values - reference.singularValues()).cwiseAbs().maxCoeff() < kGram);
    CHECK((ours.left * ours.values.asDiagonal() * ours.right - table).cwiseAbs().maxCoeff() < 1e-8);
    for (Eigen::Index i = 0; i < ours.values.size(); ++i) {
      CHECK(std::abs(ours.right.row(i).dot(reference.matrixV().col(i))) == doctest::Approx(1).epsilon(1e-7));
      CHECK(ours.right.row(i).maxCoeff() == ours.right.row(i).cwiseAbs().maxCoeff());
    }
    CHECK((squared_singular_values(table) - ours.values.cwiseAbs2()).cwiseAbs().maxCoeff() < 1e-9);
  }
}

TEST_CASE("the rank of a table is what was planted") {
  const auto found = singular_vectors(of_values(40, 60, Vector{{9, 5, 2, 0.5, 0.1}}));
  REQUIRE(found.values.size() == 5);
  CHECK((found.values - Vector{{9, 5, 2, 0.5, 0.1}}).cwiseAbs().maxCoeff() < kGram);
  CHECK((found.right * found.right.transpose() - Table::Identity(5, 5)).cwiseAbs().maxCoeff() < kGram);
  CHECK(singular_vectors(of_values(60, 40, Vector{{9, 5, 2}}), 2).values.size() == 2);
  CHECK_THROWS_AS(static_cast<void>(singular_vectors(Table::Zero(3, 4))), summand::UsageError);
}

TEST_CASE("principal components restore the table and do not see its mean") {
  const Table table = planted::gaussian(50, 8, "restored");
  const Table moved = table.rowwise() + Eigen::RowVectorXd::LinSpaced(8, -100, 100);
  const auto components = principal_components(moved);
  const Table restored = (components.scores * components.loadings).rowwise() + components.mean.transpose();
  CHECK((restored - moved).cwiseAbs().maxCoeff() < 1e-9);
  CHECK((components.shares - principal_components(table).shares).cwiseAbs().maxCoeff() < kGram);
  CHECK((components.shares - variance_shares(table)).cwiseAbs().maxCoeff() < kGram);
  CHECK(components.shares.sum() == doctest::Approx(1).epsilon(kGram));
  CHECK(components.variances(0) ==
        doctest::Approx(std::pow(column_deviations(components.scores)(0), 2) * 50 / 49).epsilon(kGram));
}

TEST_CASE("the number of directions is exact for equal shares") {
  const Vector equal = Vector::Constant(7, 1.0 / 7);
  CHECK(effective_rank(equal) == doctest::Approx(7).epsilon(1e-12));
  CHECK(participation_ratio(equal) == doctest::Approx(7).epsilon(1e-12));
  const Vector shares{{0.5, 0.25, 0.25}};
  CHECK(effective_rank(shares) == doctest::Approx(std::pow(2, 1.5)).epsilon(1e-12));
  CHECK(participation_ratio(shares) == doctest::Approx(1 / 0.375).epsilon(1e-12));
  CHECK(components_above(Vector{{0.9, 0.08, 0.01, 0.009, 0.001}}) == 2);
}

TEST_CASE("one outlying row owns a component") {
  Table table = 0.01 * planted::gaussian(200, 20, "outlier");
  table.col(3) += planted::walk(200, 1, "path");
  table(0, 7) += 5;
  const auto components = principal_components(table, 3);
  const Table owned = leverages(components);
  CHECK(owned(0, 1) > 0.98);
  CHECK(owned.colwise().sum().isApproxToConstant(1, 1e-12));
  // Of all components: the diagonal of the projection on the column space.
  CHECK(leverages(principal_components(table)).rowwise().sum().maxCoeff() <= 1 + 1e-9);
}

TEST_CASE("components of equal variance rotate within their span, and matching says so") {
  // Two of three directions have nearly one variance; noise turns them but leaves their plane.
  Table table = planted::gaussian(4000, 6, "degenerate") * Vector{{3, 2, 2, 0.1, 0.1, 0.1}}.asDiagonal();
  const auto of = principal_components(table, 3);
  const auto again = principal_components(
      planted::gaussian(4000, 6, "degenerate again") * Vector{{3, 2, 2, 0.1, 0.1, 0.1}}.asDiagonal(), 3);
  const auto matches = match_components(of, again, 3);
  CHECK(matches[0].nearest == 0);
  CHECK(matches[0].cosine > 0.99);
  for (const auto& match : matches) CHECK(match.inside > 0.999);
  CHECK(matches[1].cosine < 0.99);
  CHECK_THROWS_AS(static_cast<void>(match_components(of, again, 4)), summand::UsageError);
}

TEST_CASE("principal angles are the planted ones, small and large") {
  const Vector angles{{1e-9, 1e-3, 0.7, 1.2, std::numbers::pi / 2}};
  Table a = Table::Zero(5, 12);
  Table b = Table::Zero(5, 12);
  for (Eigen::Index i = 0; i < 5; ++i) {
    a(i, i) = 1;
    b(i, i) = std::cos(angles(i));
    b(i, 5 + i) = std::sin(angles(i));
  }
  summand::RandomStream stream(1, "angles");
  const Table turn = random_frame(12, 12, stream);
  const Table mixed = random_frame(5, 5, stream) * b * turn;
  // Angles from sines keep absolute, not relative, precision: sixteen digits of 1.
  CHECK((principal_angles(a * turn, mixed) - angles).cwiseAbs().maxCoeff() < 1e-13);
  CHECK(energy_overlap(a * turn, mixed) == doctest::Approx(angles.array().cos().square().mean()).epsilon(1e-12));
  CHECK(principal_angles(a.topRows(2) * turn, mixed).size() == 2);
  CHECK(principal_angles(a.topRows(2) * turn, mixed) == principal_angles(mixed, a.topRows(2) * turn));
}

TEST_CASE("leading subspaces hold what was planted") {
  const Table table = of_values(50, 30, Vector{{8, 7, 6, 1e-3}});
  const Table leading = leading_subspace(table, 3);
  CHECK(share_inside(table, leading_subspace(table, 4)) == doctest::Approx(1).epsilon(1e-12));
  CHECK(1 - share_inside(table, leading) == doctest::Approx(1e-6 / (64 + 49 + 36 + 1e-6)).epsilon(1e-3));
  CHECK_THROWS_AS(static_cast<void>(leading_subspace(table, 5)), summand::UsageError);
}

TEST_CASE("random directions lie inside a subspace by chance's share") {
  summand::RandomStream stream(2, "chance");
  const Table basis = random_frame(16, 384, stream);
  constexpr double kChance = 16.0 / 384;
  double sum = 0;
  for (int i = 0; i < 400; ++i) sum += share_inside(Vector(random_frame(1, 384, stream).row(0)), basis);
  // The share of one direction has a deviation of √(2·16)/384 = .0147; five standard errors of the mean of 400.
  CHECK(std::abs(sum / 400 - kChance) < 5 * 0.0147 / 20);
  CHECK(energy_overlap(basis, random_frame(100, 384, stream)) == doctest::Approx(100.0 / 384).epsilon(0.1));
}

TEST_CASE("random rotations are orthogonal and have no preferred direction") {
  summand::RandomStream stream(3, "rotation");
  const Table rotation = random_frame(40, 40, stream);
  CHECK((rotation * rotation.transpose() - Table::Identity(40, 40)).cwiseAbs().maxCoeff() < 1e-12);
  // Without the sign fix the first entry would always have one sign: of 200 draws 100 ± 5 deviations are positive.
  int positive = 0;
  double trace = 0;
  for (int i = 0; i < 200; ++i) {
    const Table turn = random_frame(3, 3, stream);
    positive += turn(0, 0) > 0;
    trace += turn.trace();
  }
  CHECK(std::abs(positive - 100) < 35);
  CHECK(std::abs(trace / 200) < 5 / std::sqrt(200));  // the trace of a random orthogonal matrix has mean 0, variance 1
}

TEST_CASE("sparsity is 0 for equal entries, 1 for a single one, and between for a known vector") {
  CHECK(hoyer_sparsity(std::vector<double>{-2, 2, 2, -2}) == doctest::Approx(0).epsilon(1e-12));
  CHECK(hoyer_sparsity(std::vector<double>{0, 0, -5, 0}) == doctest::Approx(1));
  CHECK(hoyer_sparsity(std::vector<double>{3, 4, 0, 0}) == doctest::Approx(2 - 7.0 / 5));
  CHECK_THROWS_AS(static_cast<void>(hoyer_sparsity(std::vector<double>{0, 0})), summand::UsageError);
}

TEST_CASE("linear CKA does not see rotation, scale and place, by either product") {
  for (const auto& [rows, columns] : {std::pair<size_t, size_t>{60, 10}, {10, 60}}) {
    const Table a = planted::gaussian(rows, columns, "CKA");
    summand::RandomStream stream(4, "CKA");
    const Table b = (3 * rotated(a, stream)).rowwise() + Eigen::RowVectorXd::Ones(static_cast<Eigen::Index>(columns));
    CHECK(linear_cka(a, b) == doctest::Approx(1).epsilon(1e-12));
  }
  // One centred direction against another at 60 degrees: cos².
  Table x(4, 1);
  x << 1, -1, 1, -1;
  Table y(4, 1);
  const Vector other{{1, 1, -1, -1}};
  y = 0.5 * x + std::sqrt(0.75) * other;
  CHECK(linear_cka(x, y) == doctest::Approx(0.25).epsilon(1e-12));
  CHECK(linear_cka(x, planted::gaussian(4, 9, "wide")) ==
        doctest::Approx(linear_cka(planted::gaussian(4, 9, "wide"), x)));
}
