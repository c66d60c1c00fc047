#include "lab/experiments/interventions/intervention_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"
#include "lab/probing/input_parts.hpp"

namespace summand::lab {

namespace interventions {
namespace {

constexpr double kLeastShown = 1e-6;  // of a logarithmic axis; what changes less stands there

/// A text of a figure: "interventions-doses.title".
LocalizedText figure_text(const char* path) {
  return localize(std::string("interventions.figures.") + path);
}

double shown(double value) {
  return std::max(value, kLeastShown);
}

}  // namespace
}  // namespace interventions

Figure doses_figure(const std::vector<DoseResponse>& doses, double one_word) {
  using namespace interventions;
  using namespace chart;
  std::vector<double> strength;
  std::vector<double> change;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<LocalizedText> part;
  std::vector<Series> series;
  for (const auto& dose : doses) {
    const auto& one = series_of_parts()[static_cast<size_t>(dose.part)];
    if (std::ranges::find(part, one.words) == part.end()) series.push_back(one);
    strength.push_back(dose.strength);
    change.push_back(dose.vectors.value);
    low.push_back(dose.vectors.interval.low);
    high.push_back(dose.vectors.interval.high);
    part.push_back(one.words);
  }
  const LocalizedText change_of_vectors = figure_text("change");
  const LocalizedText of = figure_text("interventions-doses.part");
  const Json x = number("strength", figure_text("interventions-doses.strength"), "g");
  Json of_part = coloured("part", of, series);
  // The lines' legend, which the band would make as faint as itself.
  of_part["legend"].update({{"symbolType", "stroke"}, {"symbolSize", 500}, {"symbolOpacity", 1}});
  Json band = mark({{"type", "area"}, {"opacity", 0.2}, {"tooltip", nullptr}},
                   {{"x", x}, {"y", number("low", change_of_vectors)}, {"color", of_part}});
  band["encoding"]["y2"] = {{"field", "high"}};
  Json lines = mark({{"type", "line"}, {"point", true}},
                    of_lines({{"x", x}, {"y", number("change", change_of_vectors)}}, "part", of, series));
  return {
      .name = "interventions-doses",
      .title = figure_text("interventions-doses.title"),
      .caption = figure_text("interventions-doses.caption"),
      .specification = layers({std::move(band), std::move(lines), rule("y", one_word)}),
      .data = FigureData{{{"strength", strength}, {"change", change}, {"low", low}, {"high", high}, {"part", part}}}};
}

Figure responses_figure(const std::vector<Response>& responses, double one_word) {
  using namespace interventions;
  using namespace chart;
  std::vector<LocalizedText> what;
  std::vector<double> change;
  std::vector<double> low;
  std::vector<double> high;
  for (const auto& response : responses) {
    what.push_back(response.words);
    change.push_back(shown(response.vectors.value));
    low.push_back(shown(response.vectors.interval.low));
    high.push_back(shown(response.vectors.interval.high));
  }
  const auto axis_of = [&](const char* field) {
    Json x = logarithmic(number(field, figure_text("change")), {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1});
    x["axis"]["format"] = "~g";
    x["scale"]["domain"] = {kLeastShown, std::max(1.0, *std::ranges::max_element(high))};
    return x;
  };
  Json y = listed_points("what", figure_text("intervention"));
  y["axis"]["grid"] = true;
  Json bars = mark({{"type", "rule"}, {"strokeWidth", 2}, {"color", "@blue"}}, {{"x", axis_of("low")}, {"y", y}});
  bars["encoding"]["x2"] = {{"field", "high"}};
  Json points = mark({{"type", "point"}, {"size", 70}, {"filled", true}, {"color", "@blue"}},
                     {{"x", axis_of("change")}, {"y", y}});
  // Above the rows, and on the side of the line that has room.
  Json label = rule_label("x", one_word, figure_text("one_word"), -14);
  const auto by_side = [&](const char* left, const char* right) {
    return Json{{"expr", fmt::format("scale('x', {}) > width / 2 ? {} : {}", one_word, left, right)}};
  };
  label["mark"].update({{"align", by_side("'right'", "'left'")}, {"dx", by_side("-5", "5")}});
  return {
      .name = "interventions-responses",
      .title = figure_text("interventions-responses.title"),
      .caption = figure_text("interventions-responses.caption"),
      .specification = with_height(layers({rule("x", one_word), std::move(label), std::move(bars), std::move(points)}),
                                   height_of(what.size())),
      .data = FigureData{{{"what", what}, {"change", change}, {"low", low}, {"high", high}}}};
}

Figure layers_figure(const std::vector<Response>& responses) {
  using namespace interventions;
  using namespace chart;
  const std::vector<Look> looks{
      {.colour = "@blue", .width = 2.5},     {.colour = "@sky", .dash = {6, 3}},
      {.colour = "@purple", .dash = {2, 2}}, {.colour = "@green", .dash = {8, 3, 2, 3}, .width = 2.5},
      {.colour = "@orange", .dash = {4, 2}}, {.colour = "@faint", .dash = {1, 0}, .width = 2.5}};
  std::vector<double> layer;
  std::vector<double> change;
  std::vector<LocalizedText> what;
  std::vector<Series> series;
  for (const auto& response : responses) {
    if (response.change.states.empty() || series.size() == looks.size()) continue;
    series.push_back({response.words, looks[series.size()]});
    for (size_t at = 0; at < response.change.states.size(); ++at) {
      layer.push_back(static_cast<double>(at));
      change.push_back(response.change.states[at]);
      what.push_back(response.words);
    }
  }
  return {.name = "interventions-layers",
          .title = figure_text("interventions-layers.title"),
          .caption = figure_text("interventions-layers.caption"),
          .specification = layers({mark({{"type", "line"}, {"point", true}},
                                        of_lines({{"x", whole("layer", figure_text("interventions-layers.layer"))},
                                                  {"y", number("change", figure_text("interventions-layers.states"))}},
                                                 "what", figure_text("intervention"), series))}),
          .data = FigureData{{{"layer", layer}, {"change", change}, {"what", what}}}};
}

}  // namespace summand::lab
