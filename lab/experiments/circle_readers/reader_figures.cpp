#include "lab/experiments/circle_readers/reader_figures.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/interval_figure.hpp"
#include "lab/core/localize.hpp"
#include "lab/experiments/circle_readers/reader_numbers.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab::circle_readers {

namespace {

using namespace chart;
using Eigen::Index;

constexpr double kRow = 18;   // pixels that a circle is high
constexpr Index kShown = 16;  // offsets to either side: what heads do farther off is seen in the sum alone

LocalizedText figure_text(const std::string& name, const FormatArgs& args = {}) {
  return localize("circle_readers.figures." + name, args);
}

/// "layer 2, head 9"
LocalizedText words_of_head(const ReaderRuns& runs, size_t head) {
  return figure_text("head_of_layer", {{"layer", head / runs.heads + 1}, {"head", head % runs.heads + 1}});
}

bool is_framed(const std::optional<Crossing>& crossing, size_t circle, size_t head) {
  if (!crossing) return false;
  return (circle == crossing->slower && head == crossing->of_slower.head) ||
         (circle == crossing->faster && head == crossing->of_faster.head);
}

std::vector<double> moved_by_layer(const HeadEffects& effects, const ReaderRuns& runs) {
  std::vector<double> moved;
  for (size_t layer = 0; layer < runs.layers; ++layer) moved.push_back(mean(moved_in_layer(effects, runs, layer)));
  return moved;
}

}  // namespace

Figure heads_figure(const ReaderRuns& runs, const std::vector<TurningPlane>& circles,
                    const std::optional<Crossing>& crossing) {
  const std::string file = "circle-heads";
  std::vector<LocalizedText> layer;
  std::vector<LocalizedText> layers_in_order;
  std::vector<double> head;
  std::vector<LocalizedText> circle;
  std::vector<double> moved;
  std::vector<double> framed;
  for (size_t number = 0; number < runs.layers * runs.heads; ++number) {
    const LocalizedText of_layer = figure_text("of_layer", {{"layer", number / runs.heads + 1}});
    if (number % runs.heads == 0) layers_in_order.push_back(of_layer);
    for (size_t i = 0; i < circles.size(); ++i) {
      layer.push_back(of_layer);
      head.push_back(static_cast<double>(number % runs.heads + 1));
      circle.push_back(words_of(circles[i]));
      moved.push_back(runs.circles.stopped[i].attention.col(static_cast<Index>(number)).mean());
      framed.push_back(is_framed(crossing, i, number) ? 1 : 0);
    }
  }
  Json x = number("head", figure_text("head"), "d");
  x["type"] = "ordinal";
  x["axis"] = {{"labelAngle", 0}, {"labelOverlap", true}, {"ticks", false}, {"domain", false}, {"grid", false}};
  Json y = name("circle", figure_text("circle"));
  y["axis"] = {{"title", nullptr}, {"ticks", false}, {"domain", false}};
  Json shade = scaled(
      number("moved", figure_text("moved"), ".3f"),
      {{"domain", {0, *std::ranges::max_element(moved)}}, {"range", {"@paper", "@blue"}}, {"interpolate", "rgb"}});
  const Channels at{{"x", x}, {"y", y}};
  Channels shaded = at;
  shaded.emplace_back("color", shade);
  Json cells = mark({{"type", "rect"}, {"stroke", "@faint"}, {"strokeWidth", 0.3}}, shaded);
  Json frames = mark({{"type", "rect"}, {"filled", false}, {"stroke", "@orange"}, {"strokeWidth", 2.5}}, at);
  frames["transform"] = Json::array({{{"filter", "datum.framed > 0"}}});
  const double height = kRow * static_cast<double>(circles.size());
  return {
      .name = file,
      .title = figure_text(file + ".title"),
      .caption = figure_text(file + ".caption"),
      .specification =
          facets(name("layer", figure_text("layer")), layers_in_order, layers({std::move(cells), std::move(frames)}),
                 {.least = 300, .most = 2, .axis = 120, .height = height}),
      .data = FigureData{{{"layer", layer}, {"head", head}, {"circle", circle}, {"moved", moved}, {"framed", framed}}}};
}

Figure offsets_figure(const ReaderRuns& runs, const std::vector<TurningPlane>& circles, const Crossing& crossing) {
  const std::string file = "circle-offsets";
  const auto stopped = [&](size_t plane) { return figure_text("stopped", {{"circle", words_of(circles[plane])}}); };
  const std::vector<Series> series{{figure_text(file + ".undisturbed"), {.colour = "@ink", .width = 1.5}},
                                   {stopped(crossing.slower), {.colour = "@orange", .dash = {6, 3}, .width = 2}},
                                   {stopped(crossing.faster), {.colour = "@blue", .dash = {2, 2}, .width = 2}}};
  const std::array tables{&runs.attention, &runs.circles.stopped[crossing.slower].mean_attention,
                          &runs.circles.stopped[crossing.faster].mean_attention};
  const std::array heads{crossing.of_slower.head, crossing.of_faster.head};
  std::vector<LocalizedText> head;
  std::vector<double> offset;
  std::vector<double> share;
  std::vector<LocalizedText> of;
  for (const size_t number : heads) {
    for (size_t i = 0; i < tables.size(); ++i) {
      for (Index at = -kShown; at <= kShown; ++at) {
        head.push_back(words_of_head(runs, number));
        offset.push_back(static_cast<double>(at));
        share.push_back((*tables[i])(static_cast<Index>(number), at + Index{kReach} + 1));
        of.push_back(series[i].words);
      }
    }
  }
  const Channels channels = of_lines(
      {{"x", whole("offset", figure_text(file + ".offset"))}, {"y", number("share", figure_text(file + ".share"))}},
      "of", figure_text(file + ".of"), series);
  Json specification =
      facets(name("head", figure_text("head")), {words_of_head(runs, heads[0]), words_of_head(runs, heads[1])},
             mark({{"type", "line"}}, channels), {.least = 300, .most = 2, .axis = 70, .height = 180});
  specification["resolve"] = {{"scale", {{"y", "independent"}}}};
  return {.name = file,
          .title = figure_text(file + ".title"),
          .caption = figure_text(file + ".caption"),
          .specification = std::move(specification),
          .data = FigureData{{{"head", head}, {"offset", offset}, {"share", share}, {"of", of}}}};
}

Figure layers_figure(const ReaderRuns& runs, const std::vector<TurningPlane>& circles) {
  const std::string file = "circle-layers";
  const std::vector<Look> looks{{.colour = "@orange", .dash = {8, 3}}, {.colour = "@green", .dash = {4, 2}},
                                {.colour = "@purple", .dash = {2, 2}}, {.colour = "@sky", .dash = {8, 3, 2, 3}},
                                {.colour = "@red", .dash = {1, 2}},    {.colour = "@orange", .dash = {1, 3}}};
  std::vector<double> layer;
  std::vector<double> moved;
  std::vector<LocalizedText> of;
  std::vector<Series> series;
  const auto add = [&](const LocalizedText& words, const Look& look, const std::vector<double>& values) {
    series.push_back({words, look});
    for (size_t at = 0; at < values.size(); ++at) {
      layer.push_back(static_cast<double>(at + 1));
      moved.push_back(values[at]);
      of.push_back(words);
    }
  };
  add(figure_text(file + ".no_order"), {.colour = "@faint", .width = 2.5}, moved_by_layer(runs.without_order, runs));
  add(localize("circle_readers.all"), {.colour = "@blue", .width = 3}, moved_by_layer(runs.all_stopped, runs));
  for (size_t i = 0; i < circles.size(); ++i) {
    add(figure_text("stopped", {{"circle", words_of(circles[i])}}), looks[i % looks.size()],
        moved_by_layer(runs.circles.stopped[i], runs));
  }
  std::vector<double> random;
  for (size_t at = 0; at < runs.layers; ++at) random.push_back(random_in_layer(runs, at));
  add(figure_text("random"), {.colour = "@faint", .dash = {2, 2}, .width = 2.5}, random);
  Json x = whole("layer", figure_text("layer"));
  return {.name = file,
          .title = figure_text(file + ".title"),
          .caption = figure_text(file + ".caption"),
          .specification = layers({mark({{"type", "line"}, {"point", true}},
                                        of_lines({{"x", x}, {"y", number("moved", figure_text("moved"))}}, "of",
                                                 figure_text(file + ".of"), series))}),
          .data = FigureData{{{"layer", layer}, {"moved", moved}, {"of", of}}}};
}

Figure outputs_figure(const ReaderRuns& runs, const std::vector<TurningPlane>& circles, const Draws& draws) {
  const std::string file = "circle-outputs";
  std::vector<IntervalRow> rows;
  const auto add = [&](const LocalizedText& words, const HeadEffects& effects) {
    const auto change = mean_over_texts(effects.vectors, draws);
    rows.push_back({words, change.value, change.interval});
  };
  for (size_t i = 0; i < circles.size(); ++i) {
    const FormatArgs args{{"circle", words_of(circles[i])}};
    add(figure_text("stopped", args), runs.circles.stopped[i]);
    if (!runs.circles.reversed.empty()) add(figure_text("reversed", args), runs.circles.reversed[i]);
    if (!runs.circles.sped_up.empty()) add(figure_text("sped_up", args), runs.circles.sped_up[i]);
  }
  add(localize("circle_readers.all"), runs.all_stopped);
  const auto random = random_changes(runs);
  rows.push_back({figure_text("random"), mean(random), {std::ranges::min(random), std::ranges::max(random)}});
  return interval_figure({.name = file,
                          .title = figure_text(file + ".title"),
                          .caption = figure_text(file + ".caption"),
                          .axis = figure_text(file + ".change")},
                         rows);
}

}  // namespace summand::lab::circle_readers
