#include "lab/experiments/position_strength/strength_figures.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"

namespace summand::lab {

Figure strength_figure(const std::vector<StrengthCurvePoint>& points, size_t layer_count) {
  using namespace chart;
  const auto text = [](const char* name, const FormatArgs& args = {}) {
    return localize(std::string("position_strength.figures.position-strength-attention.") + name, args);
  };
  const std::vector<Look> looks{{.colour = "@blue", .width = 2.5},
                                {.colour = "@orange", .dash = {6, 3}, .shape = "square"},
                                {.colour = "@green", .dash = {2, 2}, .shape = "triangle-up"}};
  std::vector<size_t> shown{0, layer_count / 2, layer_count - 1};
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  std::vector<Series> series;
  std::vector<double> strength;
  std::vector<double> moved;
  std::vector<LocalizedText> layer;
  for (size_t i = 0; i < shown.size(); ++i) {
    series.push_back({text("of_layer", {{"layer", shown[i] + 1}}), looks[i]});
    for (const auto& point : points) {
      if (point.layer != shown[i]) continue;
      strength.push_back(point.strength);
      moved.push_back(point.moved);
      layer.push_back(series.back().words);
    }
  }
  const Json x = number("strength", text("strength"), "g");
  const Json y = number("moved", text("moved"));
  return {.name = "position-strength-attention",
          .title = text("title"),
          .caption = text("caption"),
          .specification = layers({rule("y", 0), mark({{"type", "line"}, {"point", true}},
                                                      of_lines({{"x", x}, {"y", y}}, "layer", text("layer"), series))}),
          .data = FigureData{{{"strength", strength}, {"moved", moved}, {"layer", layer}}}};
}

Figure terms_figure(const TermShares& shares) {
  using namespace chart;
  const auto text = [](const char* name) {
    return localize(std::string("position_strength.figures.position-strength-terms.") + name,
                    {{"terms", kLogitParts * kLogitParts}});
  };
  constexpr std::array kParts{LogitPart::token, LogitPart::position, LogitPart::segment, LogitPart::common};
  std::vector<LocalizedText> query;
  std::vector<LocalizedText> key;
  std::vector<double> share;
  for (const LogitPart of_query : kParts) {
    for (const LogitPart of_key : kParts) {
      query.push_back(words_of(of_query));
      key.push_back(words_of(of_key));
      share.push_back(shares.share(of_query, of_key));
    }
  }
  const double most = std::max(0.01, *std::ranges::max_element(share));
  const Json x = name("key", text("key"));
  const Json y = name("query", text("query"));
  const Json value = number("share", text("share"), ".3f");
  // By opacity, so that the numbers stay readable in light and in dark.
  Json shade = scaled(value, {{"domain", {0, most}}, {"range", {0, 0.45}}, {"clamp", true}});
  shade["legend"] = nullptr;
  Json cells =
      mark({{"type", "rect"}, {"fill", "@blue"}, {"stroke", "@faint"}}, {{"x", x}, {"y", y}, {"fillOpacity", shade}});
  cells["encoding"]["x"]["axis"] = {{"labelAngle", 0}};
  Json numbers = mark({{"type", "text"}, {"fontSize", 12}, {"color", "@ink"}}, {{"x", x}, {"y", y}, {"text", value}});
  numbers["encoding"]["text"]["format"] = ".3f";
  return {.name = "position-strength-terms",
          .title = text("title"),
          .caption = text("caption"),
          .specification = with_height(layers({std::move(cells), std::move(numbers)}), 220),
          .data = FigureData{{{"query", query}, {"key", key}, {"share", share}}}};
}

}  // namespace summand::lab
