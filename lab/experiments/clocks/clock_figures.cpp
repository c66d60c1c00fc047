#include "lab/experiments/clocks/clock_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"
#include "lab/experiments/clocks/clock_settings.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/spectral_lines.hpp"
#include "lab/statistics/step_motion.hpp"

namespace summand::lab::clocks {

namespace {

using namespace chart;

constexpr double kLabelHeight = 14;  // pixels
constexpr double kLeastDrawnTurns = 0.5;
constexpr double kDrawnDeviations = 3;  // that the colours reach to on either side

LocalizedText text(const std::string& name, const FormatArgs& args = {}) {
  return localize("clocks.figures." + name, args);
}

/// "20.65° a step, 17.4 positions a turn", by the rows' own pace, as the ladder and the turns count it
LocalizedText words_of_plane(const TurningPlane& plane) {
  const double degrees = std::abs(plane.pace) * kDegrees;
  return text("plane", {{"degrees", degrees}, {"period", 360 / degrees}});
}

std::vector<LocalizedText> words_of_planes(const std::vector<FoundPlane>& planes) {
  std::vector<LocalizedText> words;
  for (const auto& found : planes) words.push_back(words_of_plane(found.plane));
  return words;
}

struct PlaneFigure {
  std::string name;
  /// Of one plane, row by row.
  std::function<std::vector<double>(const TurningPlane&)> values;
};

Figure plane_figure(const PlaneFigure& of, const std::vector<FoundPlane>& planes, const std::vector<size_t>& at) {
  std::vector<double> position;
  std::vector<double> value;
  std::vector<LocalizedText> plane;
  for (const auto& found : planes) {
    const TurningPlane& one = found.plane;
    const auto values = of.values(one);
    for (size_t i = 0; i < at.size(); ++i) {
      position.push_back(static_cast<double>(at[i]));
      value.push_back(values[i]);
      plane.push_back(words_of_plane(one));
    }
  }
  Json y = number("value", text(of.name + ".value"));
  y["axis"] = {{"tickCount", 4}, {"minExtent", 36}};
  Json specification = facets(
      name("plane", text("planes")), words_of_planes(planes),
      mark({{"type", "line"}, {"strokeWidth", 1}}, {{"x", whole("position", text("position"))}, {"y", std::move(y)}}),
      {.least = 290, .most = 3, .axis = 80, .height = 110});
  return {.name = of.name,
          .title = text(of.name + ".title"),
          .caption = text(of.name + ".caption"),
          .specification = std::move(specification),
          .data = FigureData{{{"plane", plane}, {"position", position}, {"value", value}}}};
}

/// Of each row, as a share of the plane's mean.
std::vector<double> radii_of(const TurningPlane& plane) {
  std::vector<double> radii;
  for (Eigen::Index i = 0; i < plane.path.rows(); ++i) radii.push_back(plane.path.row(i).norm() / plane.radius);
  return radii;
}

/// How far each row is ahead of the plane's mean pace, in turns, less their mean.
std::vector<double> phases_of(const TurningPlane& plane, const std::vector<size_t>& at) {
  std::vector<double> ahead;
  for (size_t i = 0; i < at.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double phase = std::atan2(plane.path(row, 1), plane.path(row, 0));
    const double turns = (phase - plane.pace * static_cast<double>(at[i])) / (2 * std::numbers::pi);
    ahead.push_back(i == 0 ? turns : ahead.back() + std::remainder(turns - ahead.back(), 1.0));
  }
  const double mean = std::reduce(ahead.begin(), ahead.end()) / static_cast<double>(ahead.size());
  for (double& turns : ahead) turns -= mean;
  return ahead;
}

LocalizedText words_of(CircleFault fault) {
  const auto why = [](const char* name) {
    return localize(std::string("clocks.figures.clocks-dials.faults.") + name, settings());
  };
  switch (fault) {
    case CircleFault::few_turns:
      return why("few_turns");
    case CircleFault::radius_varies:
      return why("radius_varies");
    case CircleFault::phase_strays:
      return why("phase_strays");
    case CircleFault::pace_changes:
      return why("pace_changes");
    case CircleFault::radius_changes:
      return why("radius_changes");
  }
  return {};
}

}  // namespace

Figure spectrum_figure(const PlacedRows& rows, const Circles& circles, const PlacedRows& walk,
                       const PlacedRows& control) {
  const std::string file = "clocks-spectrum";
  std::vector<double> turns;
  std::vector<double> degrees;
  std::vector<double> energy;
  std::vector<LocalizedText> of;
  std::vector<Series> series;
  const auto add = [&](const PlacedRows& table, const Series& one) {
    series.push_back(one);
    const auto spectrum = energy_spectrum(table);
    const double total = spectrum.total();
    for (Eigen::Index i = 0; i < spectrum.energy.size(); ++i) {
      const double frequency = spectrum.turns_at(i);
      if (frequency < kLeastDrawnTurns) continue;
      turns.push_back(frequency);
      degrees.push_back(spectrum.degrees_per_step(frequency));
      // Per octave: equal areas are equal energies on a logarithmic axis.
      energy.push_back(spectrum.energy(i) / total * frequency * std::numbers::ln2 / kTurnStep);
      of.push_back(one.words);
    }
  };
  add(rows, series_of_table());
  add(walk, series_of(Surrogate::random_walk));
  add(control, {text(file + ".planted"), {.colour = "@sky", .dash = {8, 2}}});
  std::vector<double> ticks;
  for (double tick = 1; tick <= static_cast<double>(rows.span()) / 2; tick *= 3) ticks.push_back(tick);
  const Json x = logarithmic(number("turns", text(file + ".turns"), ".2f"), ticks);
  std::vector<Json> marks{mark({{"type", "line"}}, of_lines({{"x", x},
                                                             {"y", number("energy", text(file + ".energy"), ".3f")},
                                                             {"detail", number("degrees", text(file + ".degrees"))}},
                                                            "of", text(file + ".of"), series))};
  marks.front()["encoding"].erase("detail");
  double down = 0;  // in two rows, so that neighbours keep apart on a narrow page
  for (const auto& circle : circles.circles) {
    marks.push_back(rule("x", circle.turns));
    marks.push_back(rule_label("x", circle.turns, text(file + ".line", {{"degrees", circle.pace * kDegrees}}), down));
    down = kLabelHeight - down;
  }
  return {.name = file,
          .title = text(file + ".title"),
          .caption = text(file + ".caption"),
          .specification = layers(std::move(marks)),
          .data = FigureData{{{"turns", turns}, {"degrees", degrees}, {"energy", energy}, {"of", of}}}};
}

std::vector<Figure> plane_figures(const std::vector<FoundPlane>& planes, const std::vector<size_t>& at) {
  return {plane_figure({"clocks-radius", radii_of}, planes, at),
          plane_figure({"clocks-phase", [&](const TurningPlane& plane) { return phases_of(plane, at); }}, planes, at)};
}

Figure dials_figure(const std::vector<FoundPlane>& planes, const PlacedRows& rows) {
  const std::string file = "clocks-dials";
  std::vector<LocalizedText> plane;
  std::vector<double> angle;
  std::vector<double> pace;
  std::vector<double> period;
  std::vector<double> radius;
  std::vector<double> position;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> length;
  std::vector<double> turns;
  std::vector<LocalizedText> counted;
  const auto words_of_counting = [&](const std::optional<CircleFault>& fault) {
    return fault ? text(file + ".no_circle", {{"why", words_of(*fault)}}) : text(file + ".circle");
  };
  const Vector lengths = centred(rows.rows).rowwise().norm();
  for (const auto& [one, fault] : planes) {
    const LocalizedText counting = words_of_counting(fault);
    for (size_t i = 0; i < rows.at.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      turns.push_back(std::abs(one.turns));
      counted.push_back(counting);
      plane.push_back(words_of_plane(one));
      angle.push_back(one.angle * kDegrees);
      pace.push_back(std::abs(one.pace) * kDegrees);
      period.push_back(2 * std::numbers::pi / std::abs(one.pace));
      radius.push_back(one.radius);
      position.push_back(static_cast<double>(rows.at[i]));
      x.push_back(one.path(row, 0));
      y.push_back(one.path(row, 1));
      length.push_back(lengths(row));
    }
  }
  const Json colour = scaled(number("position", text("position"), "d"), {{"scheme", "viridis"}});
  const auto axis_of = [&](const char* field) {
    Json channel = number(field, text(file + "." + field));
    channel["axis"] = {{"tickCount", 3}, {"minExtent", 32}};
    return channel;
  };
  Json specification = facets(name("plane", text("planes")), words_of_planes(planes),
                              mark({{"type", "circle"}, {"size", 14}, {"opacity", 1}},
                                   {{"x", axis_of("x")}, {"y", axis_of("y")}, {"color", colour}}),
                              {.least = 250, .most = 3, .axis = 80, .height = 170});
  return {.name = file,
          .title = text(file + ".title"),
          .caption = text(file + ".caption", settings()),
          .specification = std::move(specification),
          .data = FigureData{{{"plane", plane},
                              {"angle", angle},
                              {"pace", pace},
                              {"period", period},
                              {"radius", radius},
                              {"position", position},
                              {"x", x},
                              {"y", y},
                              {"length", length},
                              {"turns", turns},
                              {"counted", counted}}}};
}

Figure rebuilt_figure(const std::vector<FoundPlane>& planes, const PlacedRows& rows) {
  const std::string file = "clocks-rebuilt";
  const Table whole = centred(rows.rows);
  const double end = kDrawnDeviations * standard_deviation({whole.data(), static_cast<size_t>(whole.size())});
  Table rebuilt = Table::Zero(whole.rows(), whole.cols());
  if (!planes.empty()) {
    std::vector<Table> axes;
    for (const auto& [plane, fault] : planes) axes.push_back(plane.axes);
    const Table span = span_of(axes);
    rebuilt = whole * span.transpose() * span;
  }
  MatrixData matrix{.rows = rows.at.back() + 1,
                    .columns = static_cast<size_t>(2 * whole.cols()),
                    .values = {},
                    .row_label = text("position"),
                    .column_label = text(file + ".column"),
                    .value_label = text(file + ".value"),
                    .low = -end,
                    .high = end,
                    .divided_at = static_cast<size_t>(whole.cols())};
  matrix.values.assign(matrix.rows * matrix.columns, std::numeric_limits<float>::quiet_NaN());
  for (size_t i = 0; i < rows.at.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    float* values = matrix.values.data() + rows.at[i] * matrix.columns;
    for (Eigen::Index column = 0; column < whole.cols(); ++column) {
      values[column] = static_cast<float>(whole(row, column));
      values[whole.cols() + column] = static_cast<float>(rebuilt(row, column));
    }
  }
  return {.name = file,
          .title = text(file + ".title"),
          .caption = text(file + ".caption", {{"columns", whole.cols()}}),
          .specification = {},
          .data = std::move(matrix)};
}

}  // namespace summand::lab::clocks
