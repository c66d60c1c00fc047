#include "lab/plant/planted_tables.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/statistics/lag_kernel.hpp"
#include "lab/statistics/placed_rows.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace plant {
namespace {

constexpr size_t kLeastRows = 8;
constexpr size_t kMostRows = 16384;
constexpr size_t kMostColumns = 65536;
constexpr size_t kMostFactoredRows = 8192;  // the covariance of smooth noise is a matrix of this size
constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kFastestClock = 1.0 / 6;  // cycles a row: 60 degrees
constexpr int kDriftCycles = 4;            // over all rows: the fastest part of a drift
constexpr double kInitialSigma = 0.02;     // Devlin et al. 2019, google-research/bert: initializer_range
constexpr double kCutAt = 2;               // sigmas: TensorFlow's truncated_normal
constexpr double kLongRow = 10;
constexpr size_t kLongerSeries = 8;  // times the rows: what a band is cut from
constexpr double kOffGrid = 0.2;     // of a cycle: the least distance from whole cycles

template <class Number>
[[noreturn]] void refuse_setting(std::string_view option, std::string_view expected, Number got) {
  throw UsageError(option, fmt::format("expected {}, got {}", expected, got));
}

Shape shape_of(const PlantedTableSettings& settings) {
  return {.rows = settings.rows, .columns = settings.columns};
}

/// One in each of as many equal stretches of (0, 1/2), at a fifth of a cycle or more from whole cycles over all rows.
Vector off_grid_frequencies(const PlantedTableSettings& settings, RandomStream& stream) {
  const auto rows = static_cast<double>(settings.rows);
  const double stretch = rows / (2 * static_cast<double>(settings.frequencies));  // in cycles
  Vector frequencies(static_cast<Eigen::Index>(settings.frequencies));
  for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
    const double first = std::ceil(static_cast<double>(i) * stretch);
    const double last = std::max(first, std::floor(static_cast<double>(i + 1) * stretch) - 1);
    const double whole = std::floor(first + (last - first + 1) * stream.uniform());
    frequencies(i) = (whole + kOffGrid + (1 - 2 * kOffGrid) * stream.uniform()) / rows;
  }
  return frequencies;
}

/// Smooth along the rows, of mean 0 and mean square 1.
Vector smooth_drift(Eigen::Index rows, RandomStream& stream) {
  Vector drift = Vector::Zero(rows);
  for (int cycles = 1; cycles <= kDriftCycles; ++cycles) {
    const double cosine = stream.normal();
    const double sine = stream.normal();
    for (Eigen::Index row = 0; row < rows; ++row) {
      const double angle = kTurn * cycles * (static_cast<double>(row) + 0.5) / static_cast<double>(rows);
      drift(row) += cosine * std::cos(angle) + sine * std::sin(angle);
    }
  }
  return drift / std::sqrt(drift.squaredNorm() / static_cast<double>(rows));
}

/// @return [rows, circles], in radians; circles begin anywhere
Eigen::MatrixXd angles_of(const PlantedCircles& circles, size_t rows, RandomStream& stream) {
  Eigen::MatrixXd angles(static_cast<Eigen::Index>(rows), circles.paces.size());
  for (Eigen::Index circle = 0; circle < angles.cols(); ++circle) {
    const double pace = circles.paces(circle);
    const Vector drift = circles.drift ? smooth_drift(angles.rows(), stream) : Vector::Zero(angles.rows());
    double angle = kTurn * stream.uniform();
    for (Eigen::Index row = 0; row < angles.rows(); ++row) {
      angles(row, circle) = angle;
      angle += kTurn * pace * std::exp(circles.drift.value_or(0) * drift(row));
    }
  }
  return angles;
}

/// All of one radius.
PlantedCircles equal_circles(Vector paces, std::optional<double> drift = {}) {
  Vector radii = Vector::Ones(paces.size());
  return {.paces = std::move(paces), .radii = std::move(radii), .drift = drift};
}

Vector clock_paces(const PlantedTableSettings& settings) {
  const auto circles = static_cast<Eigen::Index>(settings.circles);
  Vector paces(circles);
  for (Eigen::Index circle = 0; circle < circles; ++circle) {
    paces(circle) = kFastestClock * std::pow(settings.ratio, static_cast<double>(circle + 1 - circles));
  }
  return paces;
}

Table with_noise(const Table& table, double deviation, RandomStream& stream) {
  const Shape shape{.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(table.cols())};
  return table + deviation * white_noise(shape, stream);
}

/// The first rows of series that are several times as long and have the lines of the band, so that no column ends where
/// it began.
Table band_noise(const PlantedTableSettings& settings, RandomStream& stream) {
  const auto longer = static_cast<double>(kLongerSeries);
  const auto first = static_cast<Eigen::Index>(std::ceil(longer * settings.low));
  const auto last = static_cast<Eigen::Index>(std::floor(longer * settings.high));
  const auto rows = static_cast<Eigen::Index>(settings.rows);
  Table waves(rows, 2 * (last - first + 1));
  for (Eigen::Index line = first; line <= last; ++line) {
    for (Eigen::Index row = 0; row < rows; ++row) {
      const double angle =
          kTurn * static_cast<double>(line) * static_cast<double>(row) / (longer * static_cast<double>(settings.rows));
      waves(row, 2 * (line - first)) = std::cos(angle);
      waves(row, 2 * (line - first) + 1) = std::sin(angle);
    }
  }
  const Shape amplitudes{.rows = static_cast<size_t>(waves.cols()), .columns = settings.columns};
  return std::sqrt(2.0 / static_cast<double>(waves.cols())) * waves * white_noise(amplitudes, stream);
}

Table cut_normal(const PlantedTableSettings& settings, RandomStream& stream) {
  Table table(settings.rows, settings.columns);
  for (double& value : table.reshaped<Eigen::RowMajor>()) {
    do value = stream.normal();
    while (std::abs(value) > kCutAt);
    value *= kInitialSigma;
  }
  return table;
}

/// Where they stand; row 0, and the last rows of cut sequences, are no part of a kernel.
PlacedRows ordinary_rows(const Table& source) {
  const auto outlying = outlying_rows(source);
  return placed_rows(source, outlying);
}

void require_source(const Table* source) {
  if (!source) throw UsageError("--from", "expected a table or a checkpoint to be made of, got none");
  const auto rows = static_cast<size_t>(source->rows());
  if (rows < kLeastRows || rows > kMostFactoredRows || source->cols() < 2) {
    throw UsageError(
        "--from", fmt::format("expected a table of {} to {} rows and 2 columns or more, got one of {} x {}", kLeastRows,
                              kMostFactoredRows, rows, source->cols()));
  }
  const auto ordinary = ordinary_rows(*source);
  if (ordinary.span() < kLeastRows || centred_in_place(ordinary).squaredNorm() <= 0) {
    throw UsageError("--from", fmt::format("expected {} rows or more that differ, got a table without", kLeastRows));
  }
}

void require_size(const PlantedTableSettings& settings, size_t most_rows) {
  if (settings.rows < kLeastRows || settings.rows > most_rows) {
    refuse_setting("--rows", fmt::format("from {} to {} rows", kLeastRows, most_rows), settings.rows);
  }
  if (settings.columns < 2 || settings.columns > kMostColumns) {
    refuse_setting("--columns", fmt::format("from 2 to {} columns", kMostColumns), settings.columns);
  }
}

void require_above_zero(std::string_view option, double value) {
  if (!std::isfinite(value) || value <= 0) refuse_setting(option, "a number above 0", value);
}

void require_not_negative(std::string_view option, double value) {
  if (!std::isfinite(value) || value < 0) refuse_setting(option, "a number of at least 0", value);
}

void require_planes(std::string_view option, size_t planes, const PlantedTableSettings& settings) {
  const size_t most = std::min(settings.columns / 2, settings.rows / 4);
  if (planes == 0 || planes > most) {
    refuse_setting(option,
                   fmt::format("from 1 to {}, a plane for each in {} columns and 4 of the {} rows", most,
                               settings.columns, settings.rows),
                   planes);
  }
}

}  // namespace
}  // namespace plant

std::span<const model::EnumName<PlantedTable>> enum_names(PlantedTable) {
  static constexpr std::array names{
      model::EnumName{PlantedTable::white, "white"},
      model::EnumName{PlantedTable::walk, "walk"},
      model::EnumName{PlantedTable::smooth, "smooth"},
      model::EnumName{PlantedTable::sinusoid, "sinusoid"},
      model::EnumName{PlantedTable::equal_frequencies, "equal-frequencies"},
      model::EnumName{PlantedTable::ring, "ring"},
      model::EnumName{PlantedTable::clocks, "clocks"},
      model::EnumName{PlantedTable::band, "band"},
      model::EnumName{PlantedTable::initialisation, "initialisation"},
      model::EnumName{PlantedTable::initialisation_long_row, "initialisation-long-row"},
      model::EnumName{PlantedTable::kernel_matched, "kernel-matched"},
      model::EnumName{PlantedTable::joint_phases, "joint-phases"},
  };
  return names;
}

bool needs_source(PlantedTable kind) {
  return kind == PlantedTable::kernel_matched || kind == PlantedTable::joint_phases;
}

Vector paces_of(PlantedTable kind, const PlantedTableSettings& settings) {
  if (kind == PlantedTable::clocks) return plant::clock_paces(settings);
  return Vector::Constant(1, settings.turns / static_cast<double>(settings.rows));
}

void require_plantable(PlantedTable kind, const PlantedTableSettings& settings) {
  using namespace plant;
  if (needs_source(kind)) return require_source(settings.source);
  require_size(settings, kind == PlantedTable::smooth ? kMostFactoredRows : kMostRows);
  switch (kind) {
    case PlantedTable::white:
    case PlantedTable::walk:
    case PlantedTable::initialisation:
    case PlantedTable::initialisation_long_row:
    case PlantedTable::kernel_matched:
    case PlantedTable::joint_phases:
      return;
    case PlantedTable::smooth:
      return require_above_zero("--length", settings.length);
    case PlantedTable::sinusoid:
      require_above_zero("--base", settings.base);
      if (settings.columns % 2 != 0) refuse_setting("--columns", "an even number", settings.columns);
      return;
    case PlantedTable::equal_frequencies:
      return require_planes("--frequencies", settings.frequencies, settings);
    case PlantedTable::ring:
      require_above_zero("--turns", settings.turns);
      if (settings.turns > static_cast<double>(settings.rows) / 2) {
        refuse_setting("--turns", fmt::format("at most {}, half a turn a row", settings.rows / 2), settings.turns);
      }
      return require_not_negative("--noise", settings.noise);
    case PlantedTable::clocks:
      require_planes("--circles", settings.circles, settings);
      if (!std::isfinite(settings.ratio) || settings.ratio <= 1) {
        refuse_setting("--ratio", "a number above 1", settings.ratio);
      }
      if (!std::isfinite(settings.drift) || settings.drift < 0 || settings.drift > 1) {
        refuse_setting("--drift", "a number from 0 to 1", settings.drift);
      }
      return require_not_negative("--noise", settings.noise);
    case PlantedTable::band:
      require_above_zero("--low", settings.low);
      if (!(settings.high >= settings.low + 1 && settings.high <= static_cast<double>(settings.rows) / 2)) {
        refuse_setting("--high",
                       fmt::format("a cycle or more above --low, {}, and at most {}, half a cycle a row", settings.low,
                                   settings.rows / 2),
                       settings.high);
      }
      return;
  }
}

Table planted_table(PlantedTable kind, const PlantedTableSettings& settings, RandomStream& stream) {
  using namespace plant;
  require_plantable(kind, settings);
  switch (kind) {
    case PlantedTable::white:
      return white_noise(shape_of(settings), stream);
    case PlantedTable::walk:
      return random_walk(shape_of(settings), stream);
    case PlantedTable::smooth:
      return gaussian_process(shape_of(settings), settings.length, stream);
    case PlantedTable::sinusoid:
      return sinusoid(shape_of(settings), settings.base);
    case PlantedTable::equal_frequencies: {
      const Vector frequencies = off_grid_frequencies(settings, stream);
      return planted_circles(equal_circles(frequencies), shape_of(settings), stream);
    }
    case PlantedTable::ring: {
      const Table ring = planted_circles(equal_circles(paces_of(kind, settings)), shape_of(settings), stream);
      return with_noise(ring, settings.noise, stream);
    }
    case PlantedTable::clocks: {
      const Table clocks =
          planted_circles(equal_circles(paces_of(kind, settings), settings.drift), shape_of(settings), stream);
      return with_noise(clocks, settings.noise, stream);
    }
    case PlantedTable::band:
      return band_noise(settings, stream);
    case PlantedTable::initialisation:
      return cut_normal(settings, stream);
    case PlantedTable::initialisation_long_row: {
      Table table = cut_normal(settings, stream);
      table.row(0) *= kLongRow;
      return table;
    }
    case PlantedTable::kernel_matched: {
      const StationaryProcess process(lag_kernel(ordinary_rows(*settings.source)));
      return process.draw(static_cast<size_t>(settings.source->cols()), stream);
    }
    case PlantedTable::joint_phases:
      return phase_randomised(centred_in_place(ordinary_rows(*settings.source)), Phases::common, stream);
  }
  __builtin_unreachable();
}

Table places_on(const PlantedCircles& circles, size_t rows, RandomStream& stream) {
  const Eigen::MatrixXd angles = plant::angles_of(circles, rows, stream);
  const Vector radii = circles.radii / circles.radii.norm();
  Table places(angles.rows(), 2 * angles.cols());
  for (Eigen::Index circle = 0; circle < angles.cols(); ++circle) {
    places.col(2 * circle) = radii(circle) * angles.col(circle).array().cos();
    places.col(2 * circle + 1) = radii(circle) * angles.col(circle).array().sin();
  }
  return places;
}

Table planted_circles(const PlantedCircles& circles, Shape shape, RandomStream& stream) {
  const Table places = places_on(circles, shape.rows, stream);
  const Table frame = random_frame(static_cast<size_t>(places.cols()), shape.columns, stream);
  return std::sqrt(static_cast<double>(shape.columns)) * places * frame;
}

}  // namespace summand::lab
