#include "lab/own_experiment/own_figure.hpp"

#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"

namespace summand::lab::own {

Figure effects_figure(const std::string& name, const Effects& effects, const LocalizedText& axis) {
  using namespace chart;
  std::vector<LocalizedText> of{localize("own_experiment.figure.own")};
  std::vector<double> value{effects.own.value};
  std::vector<double> low{effects.own.interval.low};
  std::vector<double> high{effects.own.interval.high};
  const auto add = [&](const LocalizedText& what, double at) {
    of.push_back(what);
    value.push_back(at);
    low.push_back(at);
    high.push_back(at);
  };
  for (const double draw : effects.null) add(localize("own_experiment.figure.null"), draw);
  add(localize("own_experiment.figure.control"), effects.control);
  const Json y = listed_points("of", localize("own_experiment.figure.of"));
  Json bars = mark({{"type", "rule"}, {"strokeWidth", 2}, {"color", "@blue"}}, {{"x", number("low", axis)}, {"y", y}});
  bars["encoding"]["x2"] = {{"field", "high"}};
  Json points = mark({{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 0.6}, {"color", "@blue"}},
                     {{"x", number("value", axis)}, {"y", y}});
  constexpr size_t kRows = 3;
  return {.name = "own-" + name,
          .title = localize("own_experiment.figure.title"),
          .caption = localize("own_experiment.figure.caption"),
          .specification =
              with_height(layers({std::move(bars), std::move(points), rule("x", effects.limit)}), height_of(kRows)),
          .data = FigureData{{{"of", of}, {"value", value}, {"low", low}, {"high", high}}}};
}

}  // namespace summand::lab::own
