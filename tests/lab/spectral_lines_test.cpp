#include "lab/statistics/spectral_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "lab/statistics/placed_rows.hpp"
#include "tests/lab/circle_tables.hpp"

using namespace summand::lab;

namespace {

/// The energy at some frequency by its definition.
double energy_at(const PlacedRows& of, double turns) {
  const Table grid = centred_in_place(of);
  const auto span = static_cast<double>(grid.rows());
  double energy = 0;
  for (Eigen::Index column = 0; column < grid.cols(); ++column) {
    double cosine = 0;
    double sine = 0;
    for (Eigen::Index t = 0; t < grid.rows(); ++t) {
      const double window = (1 - std::cos(2 * std::numbers::pi * (static_cast<double>(t) + 0.5) / span)) / 2;
      const double angle = 2 * std::numbers::pi * turns * static_cast<double>(t) / span;
      cosine += window * grid(t, column) * std::cos(angle);
      sine += window * grid(t, column) * std::sin(angle);
    }
    energy += cosine * cosine + sine * sine;
  }
  return energy;
}

}  // namespace

TEST_CASE("the spectrum is the windowed Fourier transform's energy, by lag sums or by columns") {
  const Table table = planted::walk(50, 4, "spectrum");
  for (const std::vector<size_t>& out : {std::vector<size_t>{}, {0, 20, 49}}) {
    const auto rows = placed_rows(table, out);
    const auto spectrum = energy_spectrum(rows);
    const ColumnTransform columns(rows);
    const auto summed = columns.along(Table::Identity(4, 4));
    REQUIRE(spectrum.energy.size() == static_cast<Eigen::Index>(2 * rows.span() + 1));
    for (Eigen::Index i = 0; i < spectrum.energy.size(); i += 9) {
      const double expected = energy_at(rows, spectrum.turns_at(i));
      CHECK(spectrum.energy(i) == doctest::Approx(expected).epsilon(1e-7));
      CHECK(summed.energy(i) == doctest::Approx(expected).epsilon(1e-7));
    }
  }
}

TEST_CASE("the strongest lines are the planted ones, each with its energy") {
  const auto spectrum = energy_spectrum(placed_rows(planted::circles(256, {6, 20, 60})));
  const auto lines = strongest_lines(spectrum, {.until = 0.99});
  REQUIRE(lines.size() == 3);
  std::vector<double> turns;
  for (const auto& line : lines) {
    turns.push_back(line.turns);
    CHECK(line.share == doctest::Approx(1.0 / 3).epsilon(0.01));
    CHECK(line.half_width == doctest::Approx(std::max(1.5, line.turns / 4)));
  }
  std::ranges::sort(turns);
  CHECK(turns == std::vector<double>{6, 20, 60});
  CHECK(spectrum.degrees_per_step(20) == doctest::Approx(360.0 * 20 / 256));
}
