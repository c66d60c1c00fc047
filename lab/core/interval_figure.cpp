#include "lab/core/interval_figure.hpp"

#include <utility>

#include "lab/core/charts.hpp"

namespace summand::lab {

Figure interval_figure(const IntervalFigure& of, const std::vector<IntervalRow>& rows) {
  using namespace chart;
  std::vector<LocalizedText> what;
  std::vector<double> value;
  std::vector<double> low;
  std::vector<double> high;
  for (const auto& row : rows) {
    what.push_back(row.of);
    value.push_back(row.value);
    low.push_back(row.interval.low);
    high.push_back(row.interval.high);
  }
  Json y = listed_points("of", {"of", "对象"});
  y["axis"]["grid"] = true;
  const auto x = [&](const char* field) { return scaled(number(field, of.axis), {{"zero", false}}); };
  Json bars = mark({{"type", "rule"}, {"strokeWidth", 2}, {"color", "@blue"}}, {{"x", x("low")}, {"y", y}});
  bars["encoding"]["x2"] = {{"field", "high"}};
  bars["encoding"]["tooltip"] = Json::array({number("low", {"2.5 %", "2.5%"}), number("high", {"97.5 %", "97.5%"})});
  Json points =
      mark({{"type", "point"}, {"filled", true}, {"size", 70}, {"color", "@blue"}}, {{"x", x("value")}, {"y", y}});
  std::vector<Json> marks{std::move(bars), std::move(points)};
  for (const double at : of.rules) marks.push_back(rule("x", at));
  return {.name = of.name,
          .title = of.title,
          .caption = of.caption,
          .specification = with_height(layers(std::move(marks)), height_of(rows.size())),
          .data = FigureData{{{"of", what}, {"value", value}, {"low", low}, {"high", high}}}};
}

}  // namespace summand::lab
