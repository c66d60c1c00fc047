#include "lab/statistics/spectrum.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "lab/statistics/principal_components.hpp"
#include "tests/lab/best_sinusoid.hpp"
#include "tests/lab/planted.hpp"

using namespace summand::lab;

namespace {

constexpr double kSpectrumRounding = 1e-12;

Vector wave(Eigen::Index rows, double cycles_per_row, double phase, double amplitude = 1) {
  return Vector::NullaryExpr(rows, [&](Eigen::Index t) {
    return amplitude * std::cos(2 * std::numbers::pi * cycles_per_row * static_cast<double>(t) + phase);
  });
}

/// R² of the best sinusoid on each of the first principal components.
std::vector<double> component_fits(const Table& table, size_t count) {
  const Table scores = principal_components(table, count).scores;
  std::vector<double> r2;
  for (Eigen::Index i = 0; i < scores.cols(); ++i) {
    const Vector curve = scores.col(i);
    r2.push_back(planted::best_sinusoid(elements(curve)).r2);
  }
  return r2;
}

}  // namespace

TEST_CASE("the Fourier basis is orthonormal for even and odd lengths") {
  for (const size_t length : {1, 2, 3, 8, 15, 64}) {
    const Table basis = real_fourier_basis(length);
    CHECK((basis * basis.transpose() - Table::Identity(basis.rows(), basis.rows())).cwiseAbs().maxCoeff() <
          kSpectrumRounding);
  }
}

TEST_CASE("the spectrum reads the amplitudes of planted waves, mean and fastest among them") {
  for (const Eigen::Index rows : {60, 61}) {
    const auto n = static_cast<double>(rows);
    Vector curve = wave(rows, 3 / n, 0.4, 2) + wave(rows, 11 / n, -1, 0.5) + Vector::Constant(rows, -7);
    if (rows % 2 == 0) curve += wave(rows, 0.5, 0, 0.25);
    Vector expected = Vector::Zero(rows / 2 + 1);
    expected(0) = 7;
    expected(3) = 2;
    expected(11) = 0.5;
    if (rows % 2 == 0) expected(30) = 0.25;
    CHECK((amplitude_spectrum(elements(curve)) - expected).cwiseAbs().maxCoeff() < kSpectrumRounding);
  }
}

TEST_CASE("a sinusoid between two whole cycles is found to ten digits") {
  for (const double frequency : {0.0007, 0.0123, 0.2501, 0.4871}) {
    const Vector curve = wave(512, frequency, 0.9, 3).array() + 100;
    const auto fit = planted::best_sinusoid(elements(curve));
    CHECK(fit.cycles_per_row == doctest::Approx(frequency).epsilon(1e-7));
    CHECK(fit.amplitude == doctest::Approx(3).epsilon(1e-5));
    CHECK(fit.r2 == doctest::Approx(1).epsilon(1e-10));
  }
}

TEST_CASE("half a cycle per row is fitted although its sine is nowhere") {
  const Vector curve = wave(64, 0.5, 0);
  CHECK(planted::best_sinusoid(elements(curve)).r2 == doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("R² is the sinusoid's share when something orthogonal is beside it") {
  const Vector curve = wave(400, 10 / 400.0, 0, 2) + wave(400, 37 / 400.0, 0, 1);
  const auto fit = planted::best_sinusoid(elements(curve));
  // Energies 2 and ½; a free frequency wins a little from the other wave.
  CHECK(fit.r2 == doctest::Approx(0.8).epsilon(2e-3));
  CHECK(fit.cycles_per_row * 400 == doctest::Approx(10).epsilon(2e-3));
}

TEST_CASE("components of a random walk are sinusoids and those of white noise are not") {
  // The ledger: R² .94 to 1.00 for components 1 to 9 of a walk, .98 to 1.00 for 1 to 4, .02 for white noise. Of other
  // draws a late component lies some hundredths lower.
  const auto walk = component_fits(planted::walk(512, 768, "phantom oscillations"), 9);
  for (size_t i = 0; i < walk.size(); ++i) CHECK(walk[i] > (i < 4 ? 0.97 : 0.9));
  const auto white = component_fits(planted::gaussian(512, 768, "phantom oscillations"), 9);
  double sum = 0;
  for (const double r2 : white) sum += r2 / 9;
  CHECK(sum == doctest::Approx(0.02).epsilon(0.5));
}
