// Tables of which it is known whether their rows tell distances: by one motion, by circles, to networks and to trees.
#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/calibrate/draws.hpp"
#include "lab/calibrate/planting.hpp"
#include "lab/plant/planted_tables.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace planted_distances {
namespace {

using Eigen::Index;

constexpr Shape kShape{.rows = kPlantedRows, .columns = kPlantedColumns};
constexpr Shape kOfCircles{.rows = 256, .columns = kPlantedColumns};
constexpr Shape kOfLadders{.rows = 320, .columns = kPlantedColumns};
constexpr Shape kOfDistances{.rows = 160, .columns = 40};
constexpr Shape kOfShort{.rows = 260, .columns = 40};
constexpr size_t kShort = 128;  // where short sequences end

constexpr Range kBase{.low = 100, .high = 100000};
constexpr Range kFrequencies{.low = 8, .high = 24};
constexpr Range kLittleNoise{.low = 0, .high = 0.1};
constexpr Range kLength{.low = 4, .high = 24};
constexpr Range kCircles{.low = 1, .high = 4};
constexpr Range kDrift{.low = 0.02, .high = 0.06};
constexpr Range kNoise{.low = 0.1, .high = 0.5};
constexpr Range kRungs{.low = 4, .high = 5};
constexpr Range kSlowest{.low = 0.018, .high = 0.025};  // cycles a row: two turns and more in 128 rows
constexpr Range kFastest{.low = 0.2, .high = 0.4};
constexpr double kApart = 1.6;               // of neighbouring paces: nearer ones are one line
constexpr Range kLow{.low = 4, .high = 20};  // cycles over all rows
constexpr Range kWidth{.low = 6, .high = 12};
constexpr Range kFarDrift{.low = 0.1, .high = 0.25};
constexpr Range kOverNoise{.low = 1.2, .high = 2};
constexpr Range kSmoothLength{.low = 8, .high = 20};

std::vector<PlantedTruth> all_false(std::initializer_list<const char*> claims) {
  std::vector<PlantedTruth> truths;
  for (const char* claim : claims) truths.push_back({claim, false});
  return truths;
}

Table with_noise(const Table& table, double deviation, RandomStream& stream) {
  const Shape shape{.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(table.cols())};
  return table + deviation * white_noise(shape, stream);
}

Table sinusoid_of_any_base(const Shape& shape, RandomStream& stream) {
  const double base = kBase.draw_factor(stream);
  return planted_table(PlantedTable::sinusoid, {.rows = shape.rows, .columns = shape.columns, .base = base}, stream);
}

Table equal_frequencies(RandomStream& stream) {
  const size_t frequencies = kFrequencies.draw_whole(stream);
  const Table table =
      planted_table(PlantedTable::equal_frequencies,
                    {.rows = kShape.rows, .columns = kShape.columns, .frequencies = frequencies}, stream);
  return with_noise(table, kLittleNoise.draw(stream), stream);
}

/// From slowest to fastest in equal ratios.
Vector equal_ratios(size_t rungs, double slowest, double fastest) {
  Vector paces(static_cast<Index>(rungs));
  const double ratio = std::pow(fastest / slowest, 1 / static_cast<double>(rungs - 1));
  for (Index i = 0; i < paces.size(); ++i) paces(i) = slowest * std::pow(ratio, static_cast<double>(i));
  return paces;
}

/// Circles of like size at these paces, each drifting, under noise.
Table turning(const Vector& paces, const Range& drift, const Shape& shape, RandomStream& stream) {
  Vector radii(paces.size());
  for (double& radius : radii) radius = Range{.low = 0.8, .high = 1.25}.draw_factor(stream);
  const double drifting = drift.draw(stream);
  const Table table = planted_circles({.paces = paces, .radii = radii, .drift = drifting}, shape, stream);
  return with_noise(table, kNoise.draw(stream), stream);
}

/// Circles whose paces are in no order but far enough from each other.
Table turning_apart(const Range& number, const Range& drift, const Shape& shape, RandomStream& stream) {
  const size_t circles = number.draw_whole(stream);
  const double slowest = kSlowest.draw(stream);
  const double fastest = kFastest.draw(stream);
  return turning(paces_apart(circles, {slowest, fastest}, stream), drift, shape, stream);
}

Table clocks(const Shape& shape, const Range& drift, RandomStream& stream) {
  return turning_apart(kCircles, drift, shape, stream);
}

Table ladder(RandomStream& stream) {
  const size_t rungs = kRungs.draw_whole(stream);
  const double slowest = kSlowest.draw(stream);
  const double fastest = kFastest.draw(stream);
  return turning(equal_ratios(rungs, slowest, fastest), kDrift, kOfLadders, stream);
}

Table random_ladder(RandomStream& stream) {
  return turning_apart(kRungs, kDrift, kOfLadders, stream);
}

Table band(RandomStream& stream) {
  const double low = kLow.draw(stream);
  const double high = low + kWidth.draw(stream);
  return planted_table(PlantedTable::band, {.rows = kShape.rows, .columns = kShape.columns, .low = low, .high = high},
                       stream);
}

/// Of a table of circles, or of a sinusoid: a table that has its lag kernel, or its phases' law, and nothing else.
Table surrogate(PlantedTable kind, RandomStream& stream) {
  const Table source = stream.below(2) == 0 ? clocks(kShape, kFarDrift, stream) : sinusoid_of_any_base(kShape, stream);
  return planted_table(kind, {.source = &source}, stream);
}

/// Smooth directions under noise in every coordinate.
Table smooth_under_noise(RandomStream& stream) {
  constexpr size_t kDirections = 18;  // as document 002 counts
  const double length = kSmoothLength.draw(stream);
  const Table smooth = gaussian_process({kOfDistances.rows, kDirections}, length, stream);
  const Table frame = random_frame(kDirections, kOfDistances.columns, stream);
  const double size = kOverNoise.draw(stream);
  return size * smooth * frame + white_noise(kOfDistances, stream);
}

/// The position itself along one direction, under noise.
Table line(RandomStream& stream) {
  const Vector places = Vector::LinSpaced(static_cast<Index>(kOfDistances.rows), -1, 1);
  const Table direction = random_frame(1, kOfDistances.columns, stream);
  const double size = kNoise.draw(stream);
  return 8 * places * direction + 0.1 * size * white_noise(kOfDistances, stream);
}

/// Rows from position 128 on in random order. Row 0 is [CLS]'s.
Table disordered(Table table, RandomStream& stream) {
  const auto rest = table.rows() - static_cast<Index>(kShort);
  const Table order = table.bottomRows(rest);
  table.bottomRows(rest) = row_shuffled(order, stream);
  return table;
}

}  // namespace
}  // namespace planted_distances

std::vector<Planting> distance_plantings() {
  using namespace planted_distances;
  std::vector<Planting> list;
  const auto add = [&](Planting planting) { list.push_back(std::move(planting)); };
  add(planting_of_tables("sinusoid", kBase.args(), {{"3.5", true}, {"4.11", true}},
                         [](RandomStream& stream) { return sinusoid_of_any_base(kShape, stream); }));
  add(planting_of_tables("equal_frequencies", kFrequencies.args(), {{"3.5", true}, {"4.11", true}}, equal_frequencies));
  add(planting_of_tables("kernel_matched", kFarDrift.args(), all_false({"3.5", "4.11"}),
                         [](RandomStream& stream) { return surrogate(PlantedTable::kernel_matched, stream); }));
  add(planting_of_tables("joint_phases", kFarDrift.args(), all_false({"3.5", "4.11"}), [](RandomStream& stream) {
    const Table source = clocks(kShape, kFarDrift, stream);
    return planted_table(PlantedTable::joint_phases, {.source = &source}, stream);
  }));
  add(planting_of_tables("band",
                         {{"low", kLow.low}, {"high", kLow.high}, {"narrow", kWidth.low}, {"wide", kWidth.high}},
                         all_false({"3.5", "4.11", "X1"}), band));
  add(planting_of_tables("noise_rows", {}, all_false({"3.5", "4.11", "X1"}),
                         [](RandomStream& stream) { return white_noise(kOfCircles, stream); }));
  add(planting_of_tables("walking_rows", {}, all_false({"3.5", "X1"}),
                         [](RandomStream& stream) { return random_walk(kOfCircles, stream); }));
  add(planting_of_tables("smooth_rows", kLength.args(), all_false({"3.5", "4.11", "X1"}), [](RandomStream& stream) {
    const double length = kLength.draw(stream);
    return gaussian_process(kOfCircles, length, stream);
  }));
  add(planting_of_tables("clocks", kCircles.args(), {{"X1", true}},
                         [](RandomStream& stream) { return clocks(kOfCircles, kDrift, stream); }));
  add(planting_of_tables("ladder", kRungs.args(), {{"X1", true}, {"X2", true}}, ladder));
  add(planting_of_tables("random_ladder", kRungs.args(), {{"X1", true}, {"X2", false}}, random_ladder));
  add(planting_of_tables("distance_noise", {}, {{"E8", true}, {"E9", false}},
                         [](RandomStream& stream) { return white_noise(kOfDistances, stream); }));
  add(planting_of_tables("smooth_under_noise", kOverNoise.args(), {{"E9", true}}, smooth_under_noise));
  add(planting_of_tables("line", {}, {{"E8", false}, {"E9", false}}, line));
  add(planting_of_tables("disordered_later", kSmoothLength.args(), {{"E10", true}}, [](RandomStream& stream) {
    const double length = kSmoothLength.draw(stream);
    return disordered(gaussian_process(kOfShort, length, stream), stream);
  }));
  add(planting_of_tables("alike_everywhere", kSmoothLength.args(), {{"E8", false}, {"E10", false}},
                         [](RandomStream& stream) {
                           const double length = kSmoothLength.draw(stream);
                           return gaussian_process(kOfShort, length, stream);
                         }));
  return list;
}

}  // namespace summand::lab
