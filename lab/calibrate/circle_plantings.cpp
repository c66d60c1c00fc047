// Tables that go round in circles of many kinds, and tables that only seem to. On which of these families the bounds of
// a circle were chosen, and which judge them, stands in docs/decisions/circles.md.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "lab/calibrate/draws.hpp"
#include "lab/calibrate/planting.hpp"
#include "lab/plant/planted_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace planted_rounds {
namespace {

using Eigen::Index;
using std::numbers::pi;

constexpr std::array<size_t, 4> kRows{128, 192, 256, 320};
constexpr std::array<size_t, 4> kColumns{64, 96, 128, 160};

constexpr Range kCircles{.low = 1, .high = 20};       // as many as half of 320 rows has components for
constexpr Range kSlowest{.low = 1.25, .high = 4};     // turns in half of the rows
constexpr Range kFastest{.low = 0.06, .high = 0.45};  // cycles a row
constexpr Range kUnequal{.low = 0.3, .high = 1};
constexpr Range kDrift{.low = 0, .high = 0.05};
constexpr Range kNoise{.low = 0, .high = 0.3};  // of the energy
constexpr Range kFewPlanes{.low = 1, .high = 4};
constexpr Range kGrowth{.low = 2.5, .high = 8};
constexpr Range kTurns{.low = 3, .high = 30};
constexpr Range kFaster{.low = 2, .high = 6};
constexpr Range kDegree{.low = 1, .high = 8};
constexpr Range kMemory{.low = 6, .high = 40};  // rows over which a narrow band forgets its phase
constexpr Range kBandPace{.low = 0.015, .high = 0.33};
constexpr double kApart = 1.25;    // turns in half of the rows: nearer paces lie closer than that half resolves
constexpr double kResolved = 0.6;  // of the energy, in circles that are so far apart

Shape drawn_shape(RandomStream& stream) {
  return {.rows = kRows[stream.below(kRows.size())], .columns = kColumns[stream.below(kColumns.size())]};
}

/// So much white noise that it has this share of the energy.
Table under_noise(const Table& table, double share, RandomStream& stream) {
  const Shape shape{.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(table.cols())};
  const double energy = centred(table).squaredNorm() / static_cast<double>(table.size());
  return table + std::sqrt(energy * share / (1 - share)) * white_noise(shape, stream);
}

Table in_columns(const Table& path, size_t columns, RandomStream& stream) {
  return path * random_frame(static_cast<size_t>(path.cols()), columns, stream);
}

/// Of the circles' energy, what lies in circles that half of the rows resolves. @param paces  cycles a row, rising
double resolved(const Vector& paces, const Vector& radii, double half) {
  double energy = 0;
  for (Index i = 0; i < paces.size(); ++i) {
    const bool below = i == 0 || (paces(i) - paces(i - 1)) * half >= kApart;
    const bool above = i + 1 == paces.size() || (paces(i + 1) - paces(i)) * half >= kApart;
    if (below && above) energy += radii(i) * radii(i);
  }
  return energy / radii.squaredNorm();
}

/// From the slowest to the fastest by equal ratios, or by equal differences.
enum class Spacing { ratios, differences };

/// Circles of which half of the rows resolves those that hold 60 % of all energy, noise included.
Table circles(Spacing spacing, const Range& radius, RandomStream& stream) {
  for (;;) {
    const Shape shape = drawn_shape(stream);
    const double half = static_cast<double>(shape.rows) / 2;
    const auto count = static_cast<Index>(std::lround(kCircles.draw_factor(stream)));
    const double slowest = kSlowest.draw_factor(stream) / half;
    const double fastest = kFastest.draw(stream);
    const double noise = kNoise.draw(stream);
    PlantedCircles planted{.paces = Vector(count), .radii = Vector(count), .drift = kDrift.draw(stream)};
    for (Index i = 0; i < count; ++i) {
      const double along = count == 1 ? stream.uniform() : static_cast<double>(i) / static_cast<double>(count - 1);
      planted.paces(i) = spacing == Spacing::ratios ? slowest * std::pow(fastest / slowest, along)
                                                    : slowest + (fastest - slowest) * along;
      planted.radii(i) = radius.draw(stream);
    }
    const bool has_room = static_cast<double>(2 * count) <= half / 3 && slowest < fastest;
    if (!has_room || resolved(planted.paces, planted.radii, half) * (1 - noise) < kResolved) continue;
    return under_noise(planted_circles(planted, shape, stream), noise, stream);
  }
}

/// Planes in which a path goes round, at an angle and a radius by the place from 0 to 1.
template <class Path>
Table planes(const Path& path, RandomStream& stream) {
  const Shape shape = drawn_shape(stream);
  const auto count = static_cast<Index>(kFewPlanes.draw_whole(stream));
  Table table(static_cast<Index>(shape.rows), 2 * count);
  for (Index plane = 0; plane < count; ++plane) {
    const auto at = path();
    const double start = 2 * pi * stream.uniform();
    const bool backwards = stream.below(2) == 0;
    for (Index row = 0; row < table.rows(); ++row) {
      const double x = static_cast<double>(row) / static_cast<double>(table.rows());
      const auto [turns, radius] = at(backwards ? 1 - x : x);
      const double angle = start + 2 * pi * turns;
      table(row, 2 * plane) = radius * std::cos(angle);
      table(row, 2 * plane + 1) = radius * std::sin(angle);
    }
  }
  return under_noise(in_columns(table, shape.columns, stream), kNoise.draw(stream), stream);
}

struct Turned {
  double turns = 0;
  double radius = 1;
};

Table spirals(RandomStream& stream) {
  return planes(
      [&] {
        const double growth = kGrowth.draw_factor(stream);
        const double turns = kTurns.draw_factor(stream);
        return [=](double x) { return Turned{turns * x, 1 + (growth - 1) * x}; };
      },
      stream);
}

/// The pace rises to so many times itself.
Table chirps(RandomStream& stream) {
  return planes(
      [&] {
        const double faster = kFaster.draw_factor(stream);
        const double turns = kTurns.draw_factor(stream);
        return [=](double x) { return Turned{turns * (x + (faster - 1) * x * x / 2), 1}; };
      },
      stream);
}

Table polynomials(RandomStream& stream) {
  const Shape shape = drawn_shape(stream);
  const size_t degree = kDegree.draw_whole(stream);
  Table powers(static_cast<Index>(shape.rows), static_cast<Index>(degree));
  for (Index row = 0; row < powers.rows(); ++row) {
    const double x = 2 * static_cast<double>(row) / static_cast<double>(powers.rows() - 1) - 1;
    for (Index power = 0; power < powers.cols(); ++power) {
      powers(row, power) = std::cos(static_cast<double>(power + 1) * std::acos(x));  // Chebyshev's
    }
  }
  return under_noise(in_columns(powers, shape.columns, stream), kNoise.draw(stream), stream);
}

/// Planes of noise in a narrow band: they go round at one pace for a while, their radius and phase wander.
Table narrow_bands(RandomStream& stream) {
  const Shape shape = drawn_shape(stream);
  const auto count = static_cast<Index>(kFewPlanes.draw_whole(stream));
  Table table(static_cast<Index>(shape.rows), 2 * count);
  for (Index plane = 0; plane < count; ++plane) {
    const double kept = std::exp(-1 / kMemory.draw_factor(stream));
    const std::complex<double> step = std::polar(kept, 2 * pi * kBandPace.draw_factor(stream));
    const double fresh = std::sqrt(1 - kept * kept);
    std::complex<double> at(stream.normal(), stream.normal());
    for (Index row = 0; row < table.rows(); ++row) {
      table(row, 2 * plane) = at.real();
      table(row, 2 * plane + 1) = at.imag();
      const double real = stream.normal();
      at = step * at + fresh * std::complex<double>(real, stream.normal());
    }
  }
  return under_noise(in_columns(table, shape.columns, stream), kNoise.draw(stream), stream);
}

}  // namespace
}  // namespace planted_rounds

std::vector<Planting> circle_plantings() {
  using namespace planted_rounds;
  std::vector<Planting> list;
  const auto add = [&](const char* name, const FormatArgs& args, bool is_true,
                       std::function<Table(RandomStream&)> draw) {
    list.push_back(planting_of_tables(name, args, {{"X1", is_true}}, std::move(draw)));
  };
  constexpr Range kEqual{.low = 1, .high = 1};
  add("circles_in_ratio", kCircles.args(), true,
      [kEqual](RandomStream& stream) { return circles(Spacing::ratios, kEqual, stream); });
  add("circles_in_steps", kCircles.args(), true,
      [](RandomStream& stream) { return circles(Spacing::differences, kUnequal, stream); });
  add("spirals", kGrowth.args(), false, spirals);
  add("chirps", kFaster.args(), false, chirps);
  add("polynomials", kDegree.args(), false, polynomials);
  add("narrow_bands", kMemory.args(), false, narrow_bands);
  return list;
}

}  // namespace summand::lab
