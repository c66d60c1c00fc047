// Small checkpoints of which it is known how their three tables stand to each other.
#include <cmath>

#include "lab/calibrate/draws.hpp"
#include "lab/calibrate/planting.hpp"
#include "lab/plant/small_model.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace planted_parts {
namespace {

using Eigen::Index;

constexpr Index kHidden = 64;
constexpr Index kPositions = 80;
constexpr Index kSegments = 2;
constexpr double kDeviation = 0.3;  // of entries, as SmallModel draws them

constexpr Range kLonger{.low = 1.3, .high = 4};
constexpr Range kShorter{.low = 3, .high = 8};
constexpr Range kOwned{.low = 3, .high = 8};  // dimensions
constexpr Range kOwnedSize{.low = 3, .high = 8};
constexpr Range kInside{.low = 0.6, .high = 0.95};
constexpr Range kKept{.low = 0.1, .high = 0.5};
constexpr Range kAlike{.low = 3, .high = 8};
constexpr Range kUnread{.low = 0.0003, .high = 0.003};
constexpr Range kAdded{.low = 0.05, .high = 0.3};

SmallSizes sizes() {
  return {.hidden = kHidden, .positions = kPositions};
}

/// A model whose three tables are changed, with texts of its words.
Planting of_parts(std::string name, FormatArgs ranges, std::vector<PlantedTruth> truths,
                  std::function<void(SmallModel&, RandomStream&)> change) {
  return {.name = std::move(name),
          .ranges = std::move(ranges),
          .truths = std::move(truths),
          .plant = [change = std::move(change)](RandomStream& stream) {
            SmallModel model(sizes(), stream);
            change(model, stream);
            return model.subject(random_texts({}, stream));
          }};
}

Table noise(Index rows, Index columns, RandomStream& stream) {
  return kDeviation * white_noise({static_cast<size_t>(rows), static_cast<size_t>(columns)}, stream);
}

/// Rows that lie in some of the columns.
Table in_columns(Index rows, Index first, Index count, RandomStream& stream) {
  Table table = Table::Zero(rows, kHidden);
  table.middleCols(first, count) = noise(rows, count, stream);
  return table;
}

/// Tables that keep to columns of their own, all seen in the same directions.
void keep_apart(SmallModel& model, const Table& turn, RandomStream& stream) {
  constexpr Index kOfPositions = 20;
  constexpr Index kOfSegments = 2;
  constexpr Index kOfTokens = kHidden - kOfPositions - kOfSegments;
  const Index tokens = model.tokens().rows();
  model.put_tokens(in_columns(tokens, 0, kOfTokens, stream) * turn);
  model.put_positions(in_columns(kPositions, kOfTokens, kOfPositions, stream) * turn);
  model.put_segments(in_columns(kSegments, kOfTokens + kOfPositions, kOfSegments, stream) * turn);
}

Table any_turn(RandomStream& stream) {
  return random_frame(static_cast<size_t>(kHidden), static_cast<size_t>(kHidden), stream);
}

void own_dimensions(SmallModel& model, RandomStream& stream) {
  constexpr double kElsewhere = 0.2;
  Table positions = kElsewhere * model.positions();
  const size_t owned = kOwned.draw_whole(stream);
  std::vector<Index> columns(static_cast<size_t>(kHidden));
  for (size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<Index>(i);
  stream.shuffle(std::span(columns));
  const double size = kOwnedSize.draw(stream);
  for (size_t i = 0; i < owned; ++i) positions.col(columns[i]) *= size / kElsewhere;
  model.put_positions(positions);
}

/// The difference of the segments lies for so much inside the first components of the positions.
void redundant_segment(SmallModel& model, RandomStream& stream) {
  constexpr size_t kComponents = 16;
  // Positions of falling size, so that their first components are not any.
  const Table frame = any_turn(stream);
  Table scores = noise(kPositions, kHidden, stream);
  for (Index c = 0; c < scores.cols(); ++c) scores.col(c) *= std::pow(0.95, static_cast<double>(c));
  model.put_positions(scores * frame);
  const double inside = kInside.draw(stream);
  const Table within = noise(1, kComponents, stream) * frame.topRows(kComponents);
  const Table beside = noise(1, kHidden - static_cast<Index>(kComponents), stream) *
                       frame.bottomRows(kHidden - static_cast<Index>(kComponents));
  Table segments = model.segments();
  segments.row(1) = segments.row(0) + std::sqrt(inside) * within.row(0).normalized() * segments.row(0).norm() +
                    std::sqrt(1 - inside) * beside.row(0).normalized() * segments.row(0).norm();
  model.put_segments(segments);
}

/// As two words differ.
void segment_as_tokens(SmallModel& model, RandomStream& stream) {
  const Table tokens = model.tokens();
  Table segments = model.segments();
  const auto word = [&] { return static_cast<Index>(kSpecialTokens + stream.below(kSmallWords)); };
  const Index one = word();
  Index other = word();
  while (other == one) other = word();
  segments.row(1) = segments.row(0) + tokens.row(one) - tokens.row(other);
  model.put_segments(segments);
}

/// Positions in the directions that tokens have most of.
void positions_among_tokens(SmallModel& model, RandomStream& stream) {
  const Table frame = any_turn(stream);
  Table tokens = noise(model.tokens().rows(), kHidden, stream);
  Table positions = noise(kPositions, kHidden, stream);
  for (Index c = 0; c < kHidden; ++c) {
    const double size = std::pow(0.93, static_cast<double>(c));
    tokens.col(c) *= size;
    positions.col(c) *= size;
  }
  model.put_tokens(tokens * frame);
  model.put_positions(positions * frame);
}

/// Of each token some coordinates are kept.
void sparse_tokens(SmallModel& model, RandomStream& stream) {
  const double kept = kKept.draw(stream);
  Table tokens = model.tokens();
  for (double& value : tokens.reshaped()) {
    if (stream.uniform() >= kept) value = 0;
  }
  model.put_tokens(tokens);
}

/// Rows are equal in groups.
Table alike_in_groups(Table table, Index group) {
  for (Index row = 0; row < table.rows(); ++row) table.row(row) = table.row(row - row % group).eval();
  return table;
}

/// A direction of which each coordinate is as large, half of them below 0: multiples of it are, normalised, all alike.
Table even_direction(RandomStream& stream) {
  std::vector<double> signs(static_cast<size_t>(kHidden), 1);
  std::fill(signs.begin(), signs.begin() + kHidden / 2, -1.0);
  stream.shuffle(std::span(signs));
  return Eigen::Map<const Table>(signs.data(), 1, kHidden);
}

/// All rows are multiples of one direction, no two of a table the same. @param step  from one place to the next
template <class Step>
void put_on_one_line(SmallModel& model, const Step& step, RandomStream& stream) {
  const Table direction = even_direction(stream);
  const auto on_line = [&](Index rows) {
    std::vector<double> places;
    for (Index row = 0; row < rows; ++row) places.push_back((places.empty() ? 0 : places.back()) + step());
    stream.shuffle(std::span(places));
    Table table = Eigen::Map<const Table>(places.data(), rows, 1) * direction;
    return Table(table.rowwise() - table.colwise().mean());
  };
  model.put_tokens(on_line(model.tokens().rows()));
  model.put_positions(on_line(kPositions));
  model.put_segments(on_line(kSegments));
}

}  // namespace
}  // namespace planted_parts

std::vector<Planting> part_plantings() {
  using namespace planted_parts;
  std::vector<Planting> list;
  const auto add = [&](Planting planting) { list.push_back(std::move(planting)); };
  add(of_parts("longer_tokens", kLonger.args(), {{"4.8", true}}, [](SmallModel& model, RandomStream& stream) {
    model.put_positions(model.positions() / kLonger.draw_factor(stream));
  }));
  add(of_parts("longer_positions", kLonger.args(), {{"4.8", false}}, [](SmallModel& model, RandomStream& stream) {
    model.put_positions(model.positions() * kLonger.draw_factor(stream));
  }));
  add(of_parts("random_tables", {},
               {{"4.8", false}, {"Q8c", false}, {"0.2", false}, {"0.6", false}, {"0.10", false}, {"3.1", false}},
               [](SmallModel&, RandomStream&) {}));
  add(of_parts("own_dimensions", kOwned.args(), {{"0.1", true}, {"Q8c", false}}, own_dimensions));
  add(of_parts("small_positions", kShorter.args(), {{"0.1", false}}, [](SmallModel& model, RandomStream& stream) {
    model.put_positions(model.positions() / kShorter.draw_factor(stream));
  }));
  add(of_parts("large_positions", kLonger.args(), {{"0.1", true}}, [](SmallModel& model, RandomStream& stream) {
    model.put_positions(model.positions() * kLonger.draw_factor(stream));
  }));
  add(of_parts("own_directions", {}, {{"0.2", false}, {"0.6", true}, {"3.1", false}},
               [](SmallModel& model, RandomStream& stream) {
                 const Table turn = any_turn(stream);
                 keep_apart(model, turn, stream);
               }));
  add(of_parts("own_coordinates", {}, {{"0.10", true}}, [](SmallModel& model, RandomStream& stream) {
    keep_apart(model, Table::Identity(kHidden, kHidden), stream);
  }));
  add(of_parts("sparse_tokens", kKept.args(), {{"0.10", true}}, sparse_tokens));
  add(of_parts("redundant_segment", kInside.args(), {{"0.2", true}}, redundant_segment));
  add(of_parts("segment_as_tokens", {}, {{"0.2", false}}, segment_as_tokens));
  add(of_parts("positions_among_tokens", {}, {{"0.6", false}}, positions_among_tokens));
  add(of_parts("steps_on_a_line", {}, {{"3.1", true}}, [](SmallModel& model, RandomStream& stream) {
    put_on_one_line(
        model, [] { return 1.0; }, stream);
  }));
  add(of_parts("places_on_a_line", {}, {{"3.1", true}}, [](SmallModel& model, RandomStream& stream) {
    put_on_one_line(
        model, [&] { return 0.01 + stream.uniform(); }, stream);
  }));
  // Of rows that are equal nothing is lost by adding: side by side they are as equal.
  add(of_parts("positions_alike", kAlike.args(), {{"3.1", false}}, [](SmallModel& model, RandomStream& stream) {
    model.put_positions(alike_in_groups(model.positions(), static_cast<Index>(kAlike.draw_whole(stream))));
  }));
  add(of_parts("tokens_alike", kAlike.args(), {{"3.1", false}}, [](SmallModel& model, RandomStream& stream) {
    model.put_tokens(alike_in_groups(model.tokens(), static_cast<Index>(kAlike.draw_whole(stream))));
  }));
  add(of_parts("parts_read", kAdded.args(), {{"3.3", true}}, [](SmallModel& model, RandomStream& stream) {
    const double added = kAdded.draw_factor(stream);
    model.change("output.dense.weight", [&](Table& weight) { weight *= added; });
  }));
  add(of_parts("positions_unread", kUnread.args(), {{"3.3", false}}, [](SmallModel& model, RandomStream& stream) {
    model.put_positions(model.positions() * kUnread.draw_factor(stream));
  }));
  add(of_parts("states_taken_away", {}, {{"3.3", false}}, [](SmallModel& model, RandomStream&) {
    // What comes out of the first layer is its normalisation's bias, whatever goes in.
    model.change("encoder.layer.0.output.LayerNorm.weight", [](Table& weight) { weight.setZero(); });
  }));
  return list;
}

}  // namespace summand::lab
