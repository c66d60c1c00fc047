#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/clocks/planted_circles.hpp"
#include "lab/statistics/subspaces.hpp"
#include "tests/lab/planted.hpp"

/// Tables whose rows go round in circles.
namespace planted {

/// Circles of equal radius at these frequencies, each in two columns of its own.
inline summand::lab::Table circles(size_t rows, const std::vector<double>& turns) {
  summand::lab::Table table(rows, 2 * turns.size());
  for (size_t t = 0; t < rows; ++t) {
    for (size_t i = 0; i < turns.size(); ++i) {
      const double angle = 2 * std::numbers::pi * turns[i] * static_cast<double>(t) / static_cast<double>(rows);
      table(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(2 * i)) = std::cos(angle);
      table(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(2 * i + 1)) = std::sin(angle);
    }
  }
  return table;
}

/// One circle whose pace rises evenly, both in turns over the table; in 40 columns, with noise of a tenth.
inline summand::lab::Table rising_pace(size_t rows, double from, double to) {
  summand::lab::Table path(rows, 2);
  for (size_t t = 0; t < rows; ++t) {
    const double x = static_cast<double>(t) / static_cast<double>(rows);
    const double angle = 2 * std::numbers::pi * (from * x + (to - from) * x * x / 2);
    path.row(static_cast<Eigen::Index>(t)) << std::cos(angle), std::sin(angle);
  }
  summand::RandomStream stream(21, "rising pace");
  return path * summand::lab::random_frame(2, 40, stream) + 0.01 * gaussian(rows, 40, "rising pace");
}

/// So many paces in equal ratios, as turns over the table.
inline std::vector<double> turns_of(size_t circles, size_t rows) {
  return summand::lab::clocks::planted_turns(circles, rows, rows / 2);
}

/// Circles of these paces, under noise and at paces that drift.
inline summand::lab::Table circle_ladder(size_t circles, size_t rows, size_t columns,
                                         const std::string& name = "circles") {
  summand::RandomStream stream(21, name);
  return summand::lab::clocks::planted_circles({rows, columns}, turns_of(circles, rows), stream);
}

}  // namespace planted
