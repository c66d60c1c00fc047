#include "lab/experiments/removed_components/piece_figures.hpp"

#include <algorithm>

#include "lab/core/charts.hpp"

namespace summand::lab {

namespace {

const std::vector<chart::Series>& change_and_share() {
  static const std::vector<chart::Series> series{
      {{"change without it", "去掉后的变化"}, {.colour = "@blue", .width = 2.5}},
      {{"share of the table's variance", "占表方差的比例"}, {.colour = "@orange", .dash = {6, 3}, .shape = "square"}}};
  return series;
}

const Words kShareOfAll{"share of all: of the change, of the variance", "占全部的比例：变化、方差"};

}  // namespace

Figure components_figure(const std::vector<PieceChange>& components) {
  using namespace chart;
  std::vector<double> component;
  std::vector<double> value;
  std::vector<Words> what;
  for (size_t i = 0; i < components.size(); ++i) {
    for (const bool change : {true, false}) {
      component.push_back(static_cast<double>(i + 1));
      value.push_back(change ? components[i].change : components[i].share);
      what.push_back(change_and_share()[change ? 0 : 1].words);
    }
  }
  return {
      .name = "removed-components",
      .title = {"One component removed at a time", "每次去掉一个主成分"},
      .caption =
          {"Change of sentence vectors, over the change when all components are removed, beside each "
           "component's share of the variance. Where the lines part, the model uses a component more or less "
           "than its size says.",
           "句向量的变化除以去掉全部成分时的变化，并列各成分的方差占比。两线分开处，模型对该成分的使用多于或少于其大"
           "小所示。"},
      .specification = layers({rule("y", 0), mark({{"type", "line"}, {"point", true}},
                                                  of_lines({{"x", whole("component", {"component", "主成分"})},
                                                            {"y", number("value", kShareOfAll)}},
                                                           "what", {"what", "量"}, change_and_share()))}),
      .data = FigureData{{{"component", component}, {"value", value}, {"what", what}}}};
}

Figure bands_figure(const std::vector<PieceChange>& bands) {
  using namespace chart;
  std::vector<Words> band;
  std::vector<double> value;
  std::vector<Words> what;
  for (const auto& one : bands) {
    for (const bool change : {true, false}) {
      band.push_back(one.words);
      value.push_back(change ? one.change : one.share);
      what.push_back(change_and_share()[change ? 0 : 1].words);
    }
  }
  Json y = listed_points("band", {"period, in positions", "周期（位置数）"});
  y["axis"]["grid"] = true;
  return {
      .name = "removed-bands",
      .title = {"One band of periods removed at a time", "每次去掉一个周期段"},
      .caption =
          {"Each row: curves along positions whose period lies in that range of positions. Change over the "
           "change when all is removed, beside the band's share of the table. Short texts see little of long "
           "periods but an offset.",
           "每行：周期落在该范围内的曲线。变化除以去掉全部时的变化，并列该段在表中的占比。对短文本而言，长周期几乎只"
           "是一个偏移。"},
      .specification = with_height(
          mark({{"type", "point"}, {"size", 80}, {"filled", true}},
               of_points({{"x", number("value", kShareOfAll)}, {"y", y}}, "what", {"what", "量"}, change_and_share())),
          height_of(bands.size())),
      .data = FigureData{{{"band", band}, {"value", value}, {"what", what}}}};
}

Figure kept_figure(const std::vector<KeptPoint>& points, double enough) {
  using namespace chart;
  const std::vector<Look> looks{{.colour = "@blue", .width = 3},
                                {.colour = "@faint", .dash = {6, 3}, .shape = "square"},
                                {.colour = "@orange", .dash = {2, 2}, .shape = "triangle-up"}};
  std::vector<double> components;
  std::vector<double> kept;
  std::vector<Words> of;
  std::vector<Series> series;
  for (const auto& point : points) {
    if (std::ranges::find(of, point.of) == of.end()) series.push_back({point.of, looks[series.size() % looks.size()]});
    components.push_back(static_cast<double>(point.components));
    kept.push_back(std::max(-0.5, point.kept));
    of.push_back(point.of);
  }
  const Json x = logarithmic(number("components", {"components kept", "保留的主成分数"}, "d"), {1, 4, 16, 64, 256});
  return {
      .name = "kept-components",
      .title = {"Only the first components kept", "只保留前若干主成分"},
      .caption =
          {"How much of what the positions do to sentence vectors is left: 0 as without any, 1 as with all; "
           "below 0 it is worse than without any. Does it take many components to reach the dashed line?",
           "位置对句向量的作用还剩多少：0 如同全部去掉，1 如同全部保留，低于 0 则比全部去掉还差。要很多成分才能到达虚线"
           "吗？"},
      .specification = layers({rule("y", enough), rule("y", 0),
                               mark({{"type", "line"}, {"point", true}},
                                    of_lines({{"x", x}, {"y", number("kept", {"share kept", "保留的比例"})}}, "of",
                                             {"table", "表"}, series))}),
      .data = FigureData{{{"components", components}, {"kept", kept}, {"of", of}}}};
}

}  // namespace summand::lab
