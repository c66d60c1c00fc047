#include "lab/statistics/step_motion.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/require.hpp"
#include "lab/statistics/singular_vectors.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kRealEigenvalue = 1e-9;  // of an angle, in radians: below it, or as near to π, nothing turns

/// The leading components, as many as StepMotion says.
PrincipalComponents leading_components(const PlacedRows& rows) {
  const size_t most = std::max<size_t>(2, rows.at.size() / StepMotion::kRowsPerComponent);
  auto components = principal_components(rows.rows, most);
  Index count = 0;
  double held = 0;
  while (count < components.shares.size() && held < StepMotion::kVariance) held += components.shares(count++);
  components.scores = Table(components.scores.leftCols(count));
  components.loadings = Table(components.loadings.topRows(count));
  return components;
}

}  // namespace

StepMotion::StepMotion(const PlacedRows& rows) {
  auto from = steps_of(rows);
  require(rows.at.size() >= 3 && from.size() >= 2, "step motion",
          fmt::format("expected three rows, and two pairs of neighbours, got {} rows and {} pairs", rows.at.size(),
                      from.size()));
  const auto components = leading_components(rows);
  auto to = from;
  for (Index& row : to) ++row;
  // Rows are multiplied from the left: z[n + 1] = z[n] · map.
  const Eigen::MatrixXd now = components.scores(from, Eigen::all);
  const Eigen::MatrixXd next = components.scores(to, Eigen::all);
  const Eigen::MatrixXd map = now.completeOrthogonalDecomposition().solve(next);
  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(map.transpose());
  const Eigen::MatrixXcd modes = eigen.eigenvectors();  // columns: directions that turn within themselves
  const Eigen::MatrixXcd readers = modes.partialPivLu().inverse().transpose();  // columns: what reads each of them off
  std::vector<Index> order;
  for (Index i = 0; i < modes.cols(); ++i) {
    const double angle = std::arg(eigen.eigenvalues()(i));
    if (angle > kRealEigenvalue && angle < std::numbers::pi - kRealEigenvalue) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](Index i) { return std::arg(eigen.eigenvalues()(i)); });
  for (const Index i : order) {
    Table plane(2, modes.rows());
    plane << modes.col(i).real().transpose(), modes.col(i).imag().transpose();
    angles_.push_back(std::arg(eigen.eigenvalues()(i)));
    axes_.push_back(orthonormal_rows(plane * components.loadings));
    // A row has 2 Re(mode · z) in the plane: of mean square 2 |mode|² |z|², so that a path's radius is a distance.
    readers_.push_back(components.loadings.transpose() * readers.col(i) * (std::numbers::sqrt2 * modes.col(i).norm()));
  }
}

TurningPlane StepMotion::plane(size_t plane, const PlacedRows& rows) const {
  const Table deviations = centred(rows.rows);
  const Eigen::VectorXcd places = deviations * readers_[plane];
  TurningPlane turning{.angle = angles_[plane], .axes = axes_[plane], .path = Table(places.size(), 2)};
  turning.path.col(0) = places.real();
  turning.path.col(1) = places.imag();
  const double energy = deviations.squaredNorm();
  turning.share = energy > 0 ? energy_in_span({turning.axes}, rows.rows) / energy : 0;
  read_path(turning, rows.at);
  return turning;
}

Table span_of(const std::vector<Table>& axes) {
  Table all(static_cast<Index>(2 * axes.size()), axes.front().cols());
  for (size_t i = 0; i < axes.size(); ++i) all.middleRows(static_cast<Index>(2 * i), 2) = axes[i];
  return orthonormal_rows(all);
}

double energy_in_span(const std::vector<Table>& axes, const Table& rows) {
  if (axes.empty()) return 0;
  return (centred(rows) * span_of(axes).transpose()).squaredNorm();
}

}  // namespace summand::lab
