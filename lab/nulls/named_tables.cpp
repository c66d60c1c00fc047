#include "lab/nulls/named_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/core/localize.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/singular_vectors.hpp"

namespace summand::lab {

namespace {

constexpr double kDeviations = 20;
constexpr double kLeastExcess = 0.1;
constexpr size_t kMostOutlying = 4;  // of a short table; of a long one …
constexpr size_t kOfRows = 50;       // … one of so many rows
/// Of squared singular values: what principal_components leaves out.
constexpr double kLeastSquare = 1e-12;

/// Principal components that a table has.
size_t directions_of(const Table& table) {
  if (table.size() == 0) return 0;
  const Table around = centred(table);
  // A constant column leaves rounding behind.
  if (around.cwiseAbs().maxCoeff() <= 1e-12 * table.cwiseAbs().maxCoeff()) return 0;
  const Vector squares = squared_singular_values(around);
  return static_cast<size_t>((squares.array() > kLeastSquare * squares(0)).count());
}

Shape shape_of(const Table& table) {
  return {.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(table.cols())};
}

}  // namespace

std::string name_of(Surrogate surrogate) {
  switch (surrogate) {
    case Surrogate::white_noise:
      return "white_noise";
    case Surrogate::random_walk:
      return "random_walk";
    case Surrogate::gaussian_process:
      return "gaussian_process";
    case Surrogate::warped:
      return "warped";
  }
  return {};
}

LocalizedText words_of(Surrogate surrogate) {
  return localize("nulls.surrogates." + name_of(surrogate));
}

chart::Series series_of(Surrogate surrogate) {
  const LocalizedText words = words_of(surrogate);
  switch (surrogate) {
    case Surrogate::white_noise:
      return {words, {.colour = "@faint", .dash = {1, 3}, .shape = "cross"}};
    case Surrogate::random_walk:
      return {words, {.colour = "@purple", .dash = {6, 3}, .shape = "square"}};
    case Surrogate::gaussian_process:
      return {words, {.colour = "@green", .dash = {3, 2}, .shape = "triangle-up"}};
    case Surrogate::warped:
      return {words, {.colour = "@red", .dash = {8, 3, 2, 3}, .shape = "triangle-down"}};
  }
  return {};
}

LocalizedText median_of_draws(const LocalizedText& of, size_t draws) {
  return localize("nulls.median_of_draws", {{"of", of}, {"draws", draws}});
}

LocalizedText words_of_median(Surrogate surrogate, size_t draws) {
  return median_of_draws(words_of(surrogate), draws);
}

Table drawn_surrogate(Surrogate surrogate, const Table& like, RandomStream& stream) {
  switch (surrogate) {
    case Surrogate::white_noise:
      return white_noise(shape_of(like), stream);
    case Surrogate::random_walk:
      return random_walk(shape_of(like), stream);
    case Surrogate::gaussian_process:
      return gaussian_process(shape_of(like), kSmoothLength, stream);
    case Surrogate::warped:
      return time_warped(like, kWarpStrength, stream);
  }
  return {};
}

Table sinusoid_like(const Table& like, double base) {
  const Shape shape = shape_of(like);
  return sinusoid({.rows = shape.rows, .columns = std::max<size_t>(2, shape.columns - shape.columns % 2)}, base);
}

LocalizedText words_of_sinusoid() {
  return localize("nulls.sinusoid");
}

chart::Series series_of_sinusoid() {
  return {words_of_sinusoid(), {.colour = "@orange", .dash = {1, 0}, .shape = "diamond"}};
}

chart::Series series_of_table() {
  return {localize("nulls.table"), {.colour = "@blue", .width = 3}};
}

std::vector<size_t> outlying_rows(const Table& table) {
  if (table.rows() < 3) return {};
  // About the others' mean: what row 0 holds could as well stand in [CLS]'s token row.
  const Table others = table.bottomRows(table.rows() - 1);
  const Vector norms = (table.rowwise() - others.colwise().mean()).rowwise().norm();
  const auto of_others = [](const Vector& values) { return elements(Vector(values.tail(values.size() - 1))); };
  const double middle = median(of_others(norms));
  const Vector away = (norms.array() - middle).abs();
  const double bound = std::max(kDeviations * median(of_others(away)), kLeastExcess * middle);
  std::vector<size_t> rows;
  for (Eigen::Index row = 0; row < away.size(); ++row) {
    if (away(row) > bound) rows.push_back(static_cast<size_t>(row));
  }
  const size_t most = std::max(kMostOutlying, static_cast<size_t>(table.rows()) / kOfRows);
  return rows.size() <= most ? rows : std::vector<size_t>();
}

Table without_rows(const Table& table, std::span<const size_t> rows) {
  std::vector<Eigen::Index> kept;
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    if (!std::ranges::binary_search(rows, static_cast<size_t>(row))) kept.push_back(row);
  }
  return table(kept, Eigen::all);
}

LocalizedText list_of(std::span<const size_t> rows) {
  if (rows.empty()) return localize("nulls.no_rows");
  const auto joined = fmt::format("{}", fmt::join(rows, ", "));
  return {joined, joined};
}

std::optional<LocalizedText> lacking(const Table& table, size_t rows, size_t components) {
  const size_t directions = directions_of(table);
  if (static_cast<size_t>(table.rows()) >= rows && directions >= components) return {};
  return localize(
      "nulls.lacking",
      {{"rows", rows}, {"components", components}, {"has_rows", table.rows()}, {"has_directions", directions}});
}

}  // namespace summand::lab
