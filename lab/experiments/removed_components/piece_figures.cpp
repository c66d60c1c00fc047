#include "lab/experiments/removed_components/piece_figures.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"

namespace summand::lab {

namespace removed_components {
namespace {

LocalizedText text(const std::string& name) {
  return localize("removed_components.figures." + name);
}

const std::vector<chart::Series>& change_and_share() {
  static const std::vector<chart::Series> series{
      {text("change"), {.colour = "@blue", .width = 2.5}},
      {text("share"), {.colour = "@orange", .dash = {6, 3}, .shape = "square"}}};
  return series;
}

}  // namespace
}  // namespace removed_components

Figure components_figure(const std::vector<PieceChange>& components) {
  using namespace chart;
  using namespace removed_components;
  std::vector<double> component;
  std::vector<double> value;
  std::vector<LocalizedText> what;
  for (size_t i = 0; i < components.size(); ++i) {
    for (const bool change : {true, false}) {
      component.push_back(static_cast<double>(i + 1));
      value.push_back(change ? components[i].change : components[i].share);
      what.push_back(change_and_share()[change ? 0 : 1].words);
    }
  }
  return {.name = "removed-components",
          .title = text("removed-components.title"),
          .caption = text("removed-components.caption"),
          .specification =
              layers({rule("y", 0), mark({{"type", "line"}, {"point", true}},
                                         of_lines({{"x", whole("component", text("removed-components.component"))},
                                                   {"y", number("value", text("value"))}},
                                                  "what", text("what"), change_and_share()))}),
          .data = FigureData{{{"component", component}, {"value", value}, {"what", what}}}};
}

Figure bands_figure(const std::vector<BandChange>& bands) {
  using namespace chart;
  using namespace removed_components;
  std::vector<Series> series = change_and_share();
  series.push_back({text("removed-bands.of_all"), {.colour = "@faint", .shape = "cross"}});
  std::vector<LocalizedText> band;
  std::vector<double> value;
  std::vector<LocalizedText> what;
  for (const auto& one : bands) {
    const std::array values{one.change, one.share, one.change_of_all};
    for (size_t i = 0; i < values.size(); ++i) {
      band.push_back(one.words);
      value.push_back(values[i]);
      what.push_back(series[i].words);
    }
  }
  Json y = listed_points("band", text("removed-bands.band"));
  y["axis"]["grid"] = true;
  return {.name = "removed-bands",
          .title = text("removed-bands.title"),
          .caption = text("removed-bands.caption"),
          .specification = with_height(
              mark({{"type", "point"}, {"size", 80}, {"filled", true}},
                   of_points({{"x", number("value", text("value"))}, {"y", y}}, "what", text("what"), series)),
              height_of(bands.size())),
          .data = FigureData{{{"band", band}, {"value", value}, {"what", what}}}};
}

Figure kept_figure(const std::vector<KeptPoint>& points, double enough) {
  using namespace chart;
  using namespace removed_components;
  const std::vector<Look> looks{{.colour = "@blue", .width = 3},
                                {.colour = "@sky", .dash = {8, 3}},
                                {.colour = "@faint", .dash = {6, 3}, .shape = "square"},
                                {.colour = "@orange", .dash = {2, 2}, .shape = "triangle-up"}};
  std::vector<double> components;
  std::vector<double> kept;
  std::vector<LocalizedText> of;
  std::vector<Series> series;
  for (const auto& point : points) {
    if (std::ranges::find(of, point.of) == of.end()) series.push_back({point.of, looks[series.size() % looks.size()]});
    components.push_back(static_cast<double>(point.components));
    kept.push_back(std::max(-0.5, point.kept));
    of.push_back(point.of);
  }
  const Json x = logarithmic(number("components", text("kept-components.components"), "d"), {1, 4, 16, 64, 256});
  return {.name = "kept-components",
          .title = text("kept-components.title"),
          .caption = text("kept-components.caption"),
          .specification = layers({rule("y", enough), rule("y", 0),
                                   mark({{"type", "line"}, {"point", true}},
                                        of_lines({{"x", x}, {"y", number("kept", text("kept-components.kept"))}}, "of",
                                                 text("kept-components.of"), series))}),
          .data = FigureData{{{"components", components}, {"kept", kept}, {"of", of}}}};
}

}  // namespace summand::lab
