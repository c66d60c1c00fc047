#include "lab/experiments/non_linearity/source_figures.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"

namespace summand::lab {

namespace non_linearity {
namespace {

constexpr double kLeastDrawn = 1e-8;  // what is smaller is drawn there

/// A text of a figure: "non-linear-layers.title".
LocalizedText figure_text(const char* path) {
  return localize(std::string("non_linearity.figures.") + path);
}

}  // namespace
}  // namespace non_linearity

Figure sources_figure(const std::vector<ReplacedSource>& shown) {
  using namespace chart;
  using namespace non_linearity;
  const std::vector<Series> series{
      {figure_text("non-linear-sources.vectors"), {.colour = "@blue"}},
      {figure_text("non-linear-sources.states"), {.colour = "@orange", .shape = "square"}}};
  std::vector<LocalizedText> source;
  std::vector<LocalizedText> measure;
  std::vector<double> change;
  for (const auto& one : shown) {
    for (size_t i = 0; i < series.size(); ++i) {
      source.push_back(one.words);
      measure.push_back(series[i].words);
      change.push_back(std::max(kLeastDrawn, i == 0 ? one.change : one.states));
    }
  }
  Json points = mark({{"type", "point"}, {"size", 90}, {"filled", true}},
                     of_points({{"y", listed_points("source", figure_text("source"))},
                                {"x", logarithmic(number("change", figure_text("non-linear-sources.change")),
                                                  {kLeastDrawn, 1e-6, 1e-4, 1e-2, 1})}},
                               "measure", figure_text("non-linear-sources.measure"), series));
  for (const char* channel : {"color", "shape"}) {
    points["encoding"][channel]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  }
  return {.name = "non-linear-sources",
          .title = figure_text("non-linear-sources.title"),
          .caption = figure_text("non-linear-sources.caption"),
          .specification = with_height(std::move(points), height_of(shown.size()) + 30),
          .data = FigureData{{{"source", source}, {"measure", measure}, {"change", change}}}};
}

Figure layers_figure(const std::vector<AtLayer>& found) {
  using namespace chart;
  using namespace non_linearity;
  const std::array<Look, 4> looks{Look{.colour = "@blue", .width = 2.5}, Look{.colour = "@orange", .dash = {6, 3}},
                                  Look{.colour = "@green", .dash = {2, 2}},
                                  Look{.colour = "@purple", .dash = {8, 3, 2, 3}}};
  std::vector<Series> series;
  for (size_t i = 0; i < kByLayer.size(); ++i) series.push_back({words_of(kByLayer[i]), looks[i]});
  std::vector<LocalizedText> order;
  for (const Tokens tokens : kTokensByLayer) order.push_back(words_of(tokens));
  std::vector<double> layer;
  std::vector<double> change;
  std::vector<LocalizedText> source;
  std::vector<LocalizedText> tokens;
  for (const auto& one : found) {
    layer.push_back(static_cast<double>(one.layer + 1));
    change.push_back(std::max(kLeastDrawn, one.change));
    source.push_back(words_of(one.source));
    tokens.push_back(words_of(one.tokens));
  }
  Json lines = mark({{"type", "line"}, {"point", true}},
                    of_lines({{"x", whole("layer", figure_text("non-linear-layers.layer"))},
                              {"y", logarithmic(number("change", figure_text("non-linear-layers.change")),
                                                {kLeastDrawn, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1})}},
                             "source", figure_text("source"), series));
  for (const char* channel : {"color", "strokeDash", "strokeWidth"}) {
    lines["encoding"][channel]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  }
  return {.name = "non-linear-layers",
          .title = figure_text("non-linear-layers.title"),
          .caption = figure_text("non-linear-layers.caption"),
          .specification = facets(name("tokens", figure_text("non-linear-layers.tokens")), order, std::move(lines),
                                  {.least = 290, .most = 3, .axis = 66, .height = 220}),
          .data = FigureData{{{"layer", layer}, {"source", source}, {"tokens", tokens}, {"change", change}}}};
}

}  // namespace summand::lab
