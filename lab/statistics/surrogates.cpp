#include "lab/statistics/surrogates.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "lab/statistics/moments.hpp"
#include "lab/statistics/require.hpp"
#include "lab/statistics/spectrum.hpp"
#include "lab/statistics/subspaces.hpp"

namespace summand::lab {

namespace {

constexpr double kJitter = 1e-8;
constexpr int kWarpCycles = 4;

/// Where each row of the copy lies in the table: sums of the pace, stretched from 0 to rows − 1.
std::vector<double> warp(size_t rows, double strength, RandomStream& stream) {
  const auto steps = static_cast<double>(rows - 1);
  Vector logarithm = Vector::Zero(static_cast<Eigen::Index>(rows) - 1);
  for (int cycles = 1; cycles <= kWarpCycles; ++cycles) {
    const double cosine = stream.normal();
    const double sine = stream.normal();
    for (Eigen::Index i = 0; i < logarithm.size(); ++i) {
      const double angle = 2 * std::numbers::pi * cycles * (static_cast<double>(i) + 0.5) / steps;
      logarithm(i) += cosine * std::cos(angle) + sine * std::sin(angle);
    }
  }
  logarithm.array() -= logarithm.mean();
  const double deviation = standard_deviation(elements(logarithm));
  const double scale = deviation > 0 ? strength / deviation : 0;
  const Vector pace = (scale * logarithm).array().exp();
  std::vector<double> places(rows, 0);
  for (size_t i = 1; i < rows; ++i) {
    places[i] = places[i - 1] + pace(static_cast<Eigen::Index>(i) - 1) * steps / pace.sum();
  }
  return places;
}

}  // namespace

Table white_noise(Shape shape, RandomStream& stream) {
  Table table(shape.rows, shape.columns);
  for (double& value : table.reshaped<Eigen::RowMajor>()) value = stream.normal();
  return table;
}

Table random_walk(Shape shape, RandomStream& stream) {
  Table table = white_noise(shape, stream);
  for (Eigen::Index row = 1; row < table.rows(); ++row) table.row(row) += table.row(row - 1);
  return table;
}

Table gaussian_process(Shape shape, double length, RandomStream& stream) {
  require(length > 0, "Gaussian process", "expected a length above 0");
  const auto n = static_cast<Eigen::Index>(shape.rows);
  const Eigen::MatrixXd covariance = Eigen::MatrixXd::NullaryExpr(n, n, [&](Eigen::Index i, Eigen::Index j) {
    const double lag = static_cast<double>(i - j) / length;
    return std::exp(-lag * lag / 2) + (i == j ? kJitter : 0);
  });
  const Eigen::LLT<Eigen::MatrixXd> factors(covariance);
  require(factors.info() == Eigen::Success, "Gaussian process", "expected a covariance that can be factored");
  return factors.matrixL() * white_noise(shape, stream);
}

Table phase_randomised(const Table& table, Phases phases, RandomStream& stream) {
  const Table basis = real_fourier_basis(static_cast<size_t>(table.rows()));
  Table coefficients = basis * table;
  for (Eigen::Index row = 1; row + 1 < table.rows(); row += 2) {
    double angle = 0;
    for (Eigen::Index column = 0; column < table.cols(); ++column) {
      if (column == 0 || phases == Phases::independent) angle = 2 * std::numbers::pi * stream.uniform();
      const double cosine = coefficients(row, column);
      const double sine = coefficients(row + 1, column);
      coefficients(row, column) = std::cos(angle) * cosine - std::sin(angle) * sine;
      coefficients(row + 1, column) = std::sin(angle) * cosine + std::cos(angle) * sine;
    }
  }
  return basis.transpose() * coefficients;
}

Table time_warped(const Table& table, double strength, RandomStream& stream) {
  require(table.rows() >= 2 && strength >= 0, "time warp", "expected two rows or more and a strength of 0 or more");
  const auto places = warp(static_cast<size_t>(table.rows()), strength, stream);
  Table copy(table.rows(), table.cols());
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    const double place = std::clamp(places[static_cast<size_t>(row)], 0.0, static_cast<double>(table.rows() - 1));
    const Eigen::Index below = std::min(static_cast<Eigen::Index>(place), table.rows() - 2);
    const double part = place - static_cast<double>(below);
    copy.row(row) = (1 - part) * table.row(below) + part * table.row(below + 1);
  }
  return copy;
}

Table row_shuffled(const Table& table, RandomStream& stream) {
  std::vector<Eigen::Index> order(static_cast<size_t>(table.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  stream.shuffle(std::span(order));
  return table(order, Eigen::all);
}

Table rotated(const Table& table, RandomStream& stream) {
  const auto width = static_cast<size_t>(table.cols());
  return table * random_frame(width, width, stream);
}

}  // namespace summand::lab
