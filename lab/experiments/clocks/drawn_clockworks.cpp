#include "lab/experiments/clocks/drawn_clockworks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

#include "base/random_stream.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/clocks/planted_circles.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab::clocks {

namespace {

constexpr double kDrawnPart = 0.7;  // of the experiment's time

/// One draw, of all positions from the own table's first to its last.
using Draw = std::function<Table(RandomStream&)>;

struct Kind {
  std::string name;
  Draw draw;
};

class Drawing {
 public:
  Drawing(const PlacedRows& own, size_t draws, const Conditions& conditions)
      : own_(own), draws_(draws), conditions_(conditions) {}

  [[nodiscard]] PlacedRows table(const Kind& kind, size_t i) const {
    RandomStream stream(conditions_.seed, fmt::format("clocks: {} {}", kind.name, i));
    const Table all = kind.draw(stream);
    PlacedRows placed{.rows = Table(own_.rows.rows(), all.cols()), .at = own_.at};
    for (size_t row = 0; row < own_.at.size(); ++row) {
      placed.rows.row(static_cast<Eigen::Index>(row)) =
          all.row(static_cast<Eigen::Index>(own_.at[row] - own_.at.front()));
    }
    return placed;
  }

  [[nodiscard]] std::vector<Clockwork> measured(const Kind& kind) const {
    std::vector<Clockwork> all(draws_);
    run_tasks(conditions_, draws_, [&](size_t i) { all[i] = clockwork_of(table(kind, i)); });
    return all;
  }

 private:
  const PlacedRows& own_;
  size_t draws_;
  const Conditions& conditions_;
};

void append(std::vector<Clockwork>& to, const std::vector<Clockwork>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Those with no circles, random walks first.
std::vector<Kind> null_kinds(Shape shape) {
  std::vector<Kind> kinds{{"random walk", [=](RandomStream& stream) { return random_walk(shape, stream); }}};
  for (const double length : kSmoothLengths) {
    kinds.push_back({fmt::format("Gaussian process of length {}", length),
                     [=](RandomStream& stream) { return gaussian_process(shape, length, stream); }});
  }
  kinds.push_back({"white noise", [=](RandomStream& stream) { return white_noise(shape, stream); }});
  return kinds;
}

/// Those with circles, most circles last.
std::vector<Kind> control_kinds(Shape shape, size_t part) {
  std::vector<Kind> kinds;
  for (const size_t circles : kPlantedCircles) {
    if (2 * circles > shape.columns) continue;
    kinds.push_back({fmt::format("{} planted circles", circles), [=](RandomStream& stream) {
                       return planted_circles(shape, planted_turns(circles, shape.rows, part), stream);
                     }});
  }
  return kinds;
}

}  // namespace

DrawnClockworks drawn_clockworks(const PlacedRows& own, size_t draws, const Conditions& conditions) {
  const Shape shape{.rows = own.span(), .columns = static_cast<size_t>(own.rows.cols())};
  const Drawing drawing(own, draws, conditions);
  const auto nulls = null_kinds(shape);
  const auto controls = control_kinds(shape, shape.rows / 2);
  DrawnClockworks drawn;
  auto told = [&, done = 0.0](double part) mutable { conditions.progress(kDrawnPart * (done += part)); };
  const double each = 1 / static_cast<double>(nulls.size() + controls.size());
  for (const auto& kind : nulls) {
    const auto all = drawing.measured(kind);
    if (drawn.walks.empty()) drawn.walks = all;
    append(drawn.nulls, all);
    told(each);
  }
  for (const auto& kind : controls) {
    drawn.most = drawing.measured(kind);
    append(drawn.controls, drawn.most);
    told(each);
  }
  drawn.walk = drawing.table(nulls.front(), 0);
  drawn.planted = drawing.table(controls.back(), 0);
  return drawn;
}

}  // namespace summand::lab::clocks
