// Tables of which it is known how their numbers are spread, how many components they have and how these look.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/calibrate/draws.hpp"
#include "lab/calibrate/planting.hpp"
#include "lab/plant/planted_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace planted_shapes {
namespace {

using Eigen::Index;

constexpr double kTurn = 2 * std::numbers::pi;
constexpr Shape kShape{.rows = kPlantedRows, .columns = kPlantedColumns};
/// For the numbers of single rows: as many in each as a checkpoint has.
constexpr Shape kOfLongRows{.rows = kPlantedRows, .columns = 384};
/// For the look of 18 components: in a narrower table the sinusoid, which has to pass, has not as many.
constexpr Shape kOfWaves{.rows = kPlantedRows, .columns = 256};
/// For counts of components: with as many columns as noise has directions above one per cent, nothing could be told.
constexpr Shape kWide{.rows = 256, .columns = 96};
constexpr Index kShort = 128;  // where early positions end

Table of_kind(PlantedTable kind, const Shape& shape, RandomStream& stream) {
  return planted_table(kind, {.rows = shape.rows, .columns = shape.columns}, stream);
}

/// Student's t with so many degrees of freedom, each entry by itself.
Table heavy_tails(size_t freedom, RandomStream& stream) {
  Table table = white_noise(kOfLongRows, stream);
  for (double& value : table.reshaped()) {
    double squares = 0;
    for (size_t i = 0; i < freedom; ++i) {
      const double normal = stream.normal();
      squares += normal * normal;
    }
    value /= std::sqrt(squares / static_cast<double>(freedom));
  }
  return table;
}

/// Rows that are made of some directions, of sizes from 1 down to a half, and a little noise.
Table low_rank(const Shape& shape, size_t rank, double noise, RandomStream& stream) {
  Table scores = white_noise({shape.rows, rank}, stream);
  for (Index c = 0; c < scores.cols(); ++c) {
    scores.col(c) *= 1 - 0.5 * static_cast<double>(c) / static_cast<double>(scores.cols());
  }
  const Table frame = random_frame(rank, shape.columns, stream);
  const double unit = std::sqrt(static_cast<double>(shape.columns) / static_cast<double>(rank));
  return unit * scores * frame + noise * white_noise(shape, stream);
}

/// Smooth, in directions whose sizes fall, so that its components are apart.
Table falling_smooth(double length, RandomStream& stream) {
  constexpr size_t kDirections = 30;
  constexpr double kFall = 0.9;
  Table scores = gaussian_process({kPlantedRows, kDirections}, length, stream);
  for (Index c = 0; c < scores.cols(); ++c) scores.col(c) *= std::pow(kFall, static_cast<double>(c));
  return scores * random_frame(kDirections, kPlantedColumns, stream);
}

/// Row 0 off the mean in a direction that no other row has: as a component it comes behind so many others.
Table with_first_row_apart(Table table, size_t behind, RandomStream& stream) {
  const auto components = principal_components(table, static_cast<size_t>(table.cols()));
  const auto of = [&](size_t i) { return components.variances(static_cast<Index>(i)); };
  const double variance = behind > 0 ? std::sqrt(of(behind - 1) * of(behind)) : 2 * of(0);
  Table direction = random_frame(1, static_cast<size_t>(table.cols()), stream);
  direction -= Table(direction * components.loadings.transpose() * components.loadings);
  direction.rowwise().normalize();
  const double spread = std::sqrt(variance * static_cast<double>(table.rows()));
  table.row(0) = column_means(table).transpose() + spread * direction.row(0);
  return table;
}

struct PathSize {
  double turns = 3;
  double noise = 0.1;
  double growth = 5;  ///< of a spiral's radius; of a helix the rise over its radius
};

/// A path in a few directions of the columns, and noise.
Table path_of(const std::function<void(double, Eigen::Ref<Vector>)>& at, Index dimensions, double noise,
              RandomStream& stream) {
  Table path(static_cast<Index>(kPlantedRows), dimensions);
  for (Index row = 0; row < path.rows(); ++row) {
    Vector place(dimensions);
    at(static_cast<double>(row) / static_cast<double>(path.rows()), place);
    path.row(row) = place.transpose();
  }
  const Table frame = random_frame(static_cast<size_t>(dimensions), kPlantedColumns, stream);
  return path * frame + noise * white_noise(kShape, stream);
}

/// @param power  of the position, with which the angle grows: 1 is an even pace
Table spiral(const PathSize& size, double power, RandomStream& stream) {
  return path_of(
      [&](double t, Eigen::Ref<Vector> place) {
        const double radius = 8 * (1 + (size.growth - 1) * t) / size.growth;
        const double angle = kTurn * size.turns * std::pow(t, power);
        place << radius * std::cos(angle), radius * std::sin(angle);
      },
      2, size.noise, stream);
}

/// To and fro along one axis, further and further; along the other it goes on evenly, or not at all.
Table swing(const PathSize& size, double advance, RandomStream& stream) {
  return path_of(
      [&](double t, Eigen::Ref<Vector> place) {
        place << 8 * (1 + (size.growth - 1) * t) / size.growth * std::cos(kTurn * size.turns * t),
            8 * advance * (t - 0.5);
      },
      2, size.noise, stream);
}

/// @param power  of the position, with which the angle and the height grow: 1 is an even pace
Table helix(const PathSize& size, double power, RandomStream& stream) {
  return path_of(
      [&](double t, Eigen::Ref<Vector> place) {
        const double along = std::pow(t, power);
        const double angle = kTurn * size.turns * along;
        place << 8 * std::cos(angle), 8 * std::sin(angle), 8 * size.growth * (along - 0.5);
      },
      3, size.noise, stream);
}

/// Components that are one sinusoid each: planes of falling size, each with a frequency of its own.
Table waves(RandomStream& stream) {
  constexpr Index kPlanes = 12;
  constexpr double kFall = 0.85;
  PlantedCircles circles{.paces = Vector(kPlanes), .radii = Vector(kPlanes)};
  for (Index plane = 0; plane < kPlanes; ++plane) {
    // Twelve stretches of the frequencies from 2 cycles over all rows to a third of a cycle a row.
    const double low = 2.0 / static_cast<double>(kPlantedRows);
    const double step = (1.0 / 3 - low) / static_cast<double>(kPlanes);
    circles.paces(plane) = low + step * (static_cast<double>(plane) + 0.2 + 0.6 * stream.uniform());
    circles.radii(plane) = std::pow(kFall, static_cast<double>(plane));
  }
  std::vector<double> order(circles.paces.begin(), circles.paces.end());
  stream.shuffle(std::span(order));
  circles.paces = Eigen::Map<const Vector>(order.data(), kPlanes);
  return planted_circles(circles, kOfWaves, stream);
}

/// Components that are each a sum of several sinusoids of like size.
Table mixed_waves(size_t each, RandomStream& stream) {
  constexpr Index kCurves = 24;
  constexpr double kFall = 0.9;
  Table curves = Table::Zero(static_cast<Index>(kPlantedRows), kCurves);
  for (Index c = 0; c < kCurves; ++c) {
    for (size_t wave = 0; wave < each; ++wave) {
      const double pace = (1 + static_cast<double>(kPlantedRows) / 2.5 * stream.uniform()) / kPlantedRows;
      const double start = kTurn * stream.uniform();
      for (Index row = 0; row < curves.rows(); ++row) {
        curves(row, c) +=
            std::pow(kFall, static_cast<double>(c)) * std::sin(start + kTurn * pace * static_cast<double>(row));
      }
    }
  }
  return curves * random_frame(kCurves, kOfWaves.columns, stream);
}

/// Columns that all follow one course, with something of their own.
Table one_course(double own, RandomStream& stream) {
  const Table course = white_noise({kPlantedRows, 1}, stream);
  const Table weights = white_noise({1, kPlantedColumns}, stream);
  return course * weights + own * white_noise(kShape, stream);
}

constexpr Range kLength{.low = 4, .high = 24};
constexpr Range kRank{.low = 10, .high = 20};
constexpr Range kLittleNoise{.low = 0.02, .high = 0.06};
constexpr Range kFewDirections{.low = 2, .high = 4};
constexpr Range kFreedom{.low = 3, .high = 5};
constexpr Range kStep{.low = 1.2, .high = 2.5};
constexpr Range kTurns{.low = 2.5, .high = 6};
constexpr Range kUnevenTurns{.low = 6, .high = 24};
constexpr Range kPower{.low = 0.8, .high = 2.5};
constexpr Range kAdvance{.low = 0, .high = 3};
constexpr Range kGrowth{.low = 3, .high = 8};
constexpr Range kRise{.low = 2, .high = 4};
constexpr Range kPathNoise{.low = 0.05, .high = 0.5};
constexpr Range kOutlierBehind{.low = 7, .high = 9};
constexpr Range kOutlierLate{.low = 11, .high = 16};
constexpr Range kRingTurns{.low = 12, .high = 70};
constexpr Range kRingNoise{.low = 0.05, .high = 0.3};
constexpr Range kLongRow{.low = 4, .high = 30};
constexpr Range kMixed{.low = 5, .high = 9};
constexpr Range kOwn{.low = 0.05, .high = 0.3};

Table early_rows_times(double factor, RandomStream& stream) {
  Table table = white_noise(kShape, stream);
  table.topRows(kShort) *= factor;
  return table;
}

}  // namespace
}  // namespace planted_shapes

std::vector<Planting> shape_plantings() {
  using namespace planted_shapes;
  std::vector<Planting> list;
  const auto add = [&](Planting planting) { list.push_back(std::move(planting)); };
  add(planting_of_tables("drawn_normal", {}, {{"E1", true}, {"E2", false}},
                         [](RandomStream& stream) { return white_noise(kOfLongRows, stream); }));
  add(planting_of_tables("drawn_cut", {}, {{"E1", true}, {"E2", false}}, [](RandomStream& stream) {
    return of_kind(PlantedTable::initialisation, kOfLongRows, stream);
  }));
  add(planting_of_tables("drawn_long_row", kLongRow.args(), {{"E1", true}}, [](RandomStream& stream) {
    Table table = of_kind(PlantedTable::initialisation, kOfLongRows, stream);
    table.row(0) *= kLongRow.draw_factor(stream);
    return table;
  }));
  add(planting_of_tables("heavy_tails", kFreedom.args(), {{"E1", false}},
                         [](RandomStream& stream) { return heavy_tails(kFreedom.draw_whole(stream), stream); }));
  add(planting_of_tables("widening_walk", {}, {{"E1", false}},
                         [](RandomStream& stream) { return random_walk(kOfLongRows, stream); }));
  add(planting_of_tables("white", {}, {{"E2", false}, {"E4", true}, {"E5", false}, {"0.9", false}, {"4.6", true}},
                         [](RandomStream& stream) { return white_noise(kShape, stream); }));
  add(planting_of_tables("walk", {}, {{"E2", false}, {"E4", true}, {"E5", false}, {"0.9", true}, {"4.6", true}},
                         [](RandomStream& stream) { return random_walk(kShape, stream); }));
  add(planting_of_tables("smooth", kLength.args(),
                         {{"E2", false}, {"E4", true}, {"E5", false}, {"0.9", true}, {"4.6", true}},
                         [](RandomStream& stream) {
                           const double length = kLength.draw(stream);
                           return gaussian_process(kShape, length, stream);
                         }));
  add(planting_of_tables("early_rows_longer", kStep.args(), {{"E2", true}},
                         [](RandomStream& stream) { return early_rows_times(kStep.draw_factor(stream), stream); }));
  add(planting_of_tables("early_rows_shorter", kStep.args(), {{"E2", false}},
                         [](RandomStream& stream) { return early_rows_times(1 / kStep.draw_factor(stream), stream); }));
  add(planting_of_tables("low_rank", kRank.args(), {{"E3", true}}, [](RandomStream& stream) {
    const size_t rank = kRank.draw_whole(stream);
    return low_rank(kWide, rank, kLittleNoise.draw(stream), stream);
  }));
  add(planting_of_tables("wide_white", {}, {{"E3", false}},
                         [](RandomStream& stream) { return white_noise(kWide, stream); }));
  add(planting_of_tables("few_directions", kFewDirections.args(), {{"E3", false}}, [](RandomStream& stream) {
    const size_t rank = kFewDirections.draw_whole(stream);
    return low_rank(kWide, rank, kLittleNoise.draw(stream), stream);
  }));
  add(planting_of_tables("spiral", kTurns.args(), {{"E4", false}}, [](RandomStream& stream) {
    const PathSize size{kTurns.draw(stream), kPathNoise.draw(stream), kGrowth.draw(stream)};
    return spiral(size, 1, stream);
  }));
  add(planting_of_tables("uneven_spiral", kUnevenTurns.args(), {{"E4", false}}, [](RandomStream& stream) {
    const PathSize size{kUnevenTurns.draw(stream), kPathNoise.draw(stream), kGrowth.draw(stream)};
    const double power = kPower.draw(stream);
    return spiral(size, power, stream);
  }));
  add(planting_of_tables("swing", kUnevenTurns.args(), {{"E4", true}}, [](RandomStream& stream) {
    const PathSize size{kUnevenTurns.draw(stream), kPathNoise.draw(stream), kGrowth.draw(stream)};
    const double advance = kAdvance.draw(stream);
    return swing(size, advance, stream);
  }));
  add(planting_of_tables("helix", kTurns.args(), {{"E4", false}}, [](RandomStream& stream) {
    const PathSize size{kTurns.draw(stream), kPathNoise.draw(stream), kRise.draw(stream)};
    return helix(size, 1, stream);
  }));
  add(planting_of_tables("uneven_helix", kUnevenTurns.args(), {{"E4", false}}, [](RandomStream& stream) {
    const PathSize size{kUnevenTurns.draw(stream), kPathNoise.draw(stream), kRise.draw(stream)};
    const double power = kPower.draw(stream);
    return helix(size, power, stream);
  }));
  add(planting_of_tables("ring", kRingTurns.args(), {{"E4", true}, {"0.9", false}}, [](RandomStream& stream) {
    const double turns = kRingTurns.draw(stream);
    const double noise = kRingNoise.draw(stream);
    return planted_table(PlantedTable::ring,
                         {.rows = kPlantedRows, .columns = kPlantedColumns, .turns = turns, .noise = noise}, stream);
  }));
  add(planting_of_tables("first_row_apart", kOutlierBehind.args(), {{"E5", true}}, [](RandomStream& stream) {
    const double length = kLength.draw(stream);
    const size_t behind = kOutlierBehind.draw_whole(stream);
    return with_first_row_apart(falling_smooth(length, stream), behind, stream);
  }));
  add(planting_of_tables("first_row_first", {}, {{"E5", false}}, [](RandomStream& stream) {
    const double length = kLength.draw(stream);
    return with_first_row_apart(falling_smooth(length, stream), stream.below(2), stream);
  }));
  add(planting_of_tables("first_row_late", kOutlierLate.args(), {{"E5", false}}, [](RandomStream& stream) {
    const double length = kLength.draw(stream);
    const size_t behind = kOutlierLate.draw_whole(stream);
    return with_first_row_apart(falling_smooth(length, stream), behind, stream);
  }));
  add(planting_of_tables("first_row_ordinary", kLength.args(), {{"E5", false}},
                         [](RandomStream& stream) { return falling_smooth(kLength.draw(stream), stream); }));
  add(planting_of_tables("no_waves", {}, {{"E6", false}, {"E7", false}},
                         [](RandomStream& stream) { return white_noise(kOfWaves, stream); }));
  add(planting_of_tables("slow_waves", {}, {{"E6", true}},
                         [](RandomStream& stream) { return random_walk(kOfWaves, stream); }));
  add(planting_of_tables("waves", {}, {{"E6", true}, {"E7", true}},
                         [](RandomStream& stream) { return waves(stream); }));
  add(planting_of_tables("mixed_waves", kMixed.args(), {{"E6", false}, {"E7", false}},
                         [](RandomStream& stream) { return mixed_waves(kMixed.draw_whole(stream), stream); }));
  add(planting_of_tables("shuffled_walk", {}, {{"0.9", false}}, [](RandomStream& stream) {
    const Table walk = random_walk(kShape, stream);
    return row_shuffled(walk, stream);
  }));
  add(planting_of_tables("one_course", kOwn.args(), {{"4.6", false}},
                         [](RandomStream& stream) { return one_course(kOwn.draw(stream), stream); }));
  return list;
}

}  // namespace summand::lab
