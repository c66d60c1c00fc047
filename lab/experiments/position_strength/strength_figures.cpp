#include "lab/experiments/position_strength/strength_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "lab/core/charts.hpp"

namespace summand::lab {

Figure strength_figure(const std::vector<StrengthCurvePoint>& points, size_t layer_count) {
  using namespace chart;
  const std::vector<Look> looks{{.colour = "@blue", .width = 2.5},
                                {.colour = "@orange", .dash = {6, 3}, .shape = "square"},
                                {.colour = "@green", .dash = {2, 2}, .shape = "triangle-up"}};
  std::vector<size_t> shown{0, layer_count / 2, layer_count - 1};
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  std::vector<Series> series;
  std::vector<double> strength;
  std::vector<double> moved;
  std::vector<Words> layer;
  for (size_t i = 0; i < shown.size(); ++i) {
    series.push_back({{fmt::format("layer {}", shown[i] + 1), fmt::format("第 {} 层", shown[i] + 1)}, looks[i]});
    for (const auto& point : points) {
      if (point.layer != shown[i]) continue;
      strength.push_back(point.strength);
      moved.push_back(point.moved);
      layer.push_back(series.back().words);
    }
  }
  const Json x = number("strength", {"factor of the position rows", "位置行的系数"}, "g");
  const Json y =
      number("moved", {"divergence of attention, over that from uniform", "注意力散度 / 到均匀注意力的散度"});
  return {
      .name = "position-strength-attention",
      .title = {"Attention with weaker and stronger positions", "减弱与加强位置时的注意力"},
      .caption = {"0: attention stays as it is; 1: it moves as far as attention that is alike everywhere. Does the "
                  "first layer feel the length of the rows, and do later ones feel it less?",
                  "0：注意力不变；1：移动之远与处处相同的注意力一样。首层对行的长度有反应吗？后面的层反应更小吗？"},
      .specification = layers({rule("y", 0), mark({{"type", "line"}, {"point", true}},
                                                  of_lines({{"x", x}, {"y", y}}, "layer", {"layer", "层"}, series))}),
      .data = FigureData{{{"strength", strength}, {"moved", moved}, {"layer", layer}}}};
}

Figure terms_figure(const TermShares& shares) {
  using namespace chart;
  constexpr std::array kParts{LogitPart::token, LogitPart::position, LogitPart::segment, LogitPart::common};
  std::vector<Words> query;
  std::vector<Words> key;
  std::vector<double> share;
  for (const LogitPart of_query : kParts) {
    for (const LogitPart of_key : kParts) {
      query.push_back(words_of(of_query));
      key.push_back(words_of(of_key));
      share.push_back(shares.share(of_query, of_key));
    }
  }
  const double most = std::max(0.01, *std::ranges::max_element(share));
  const Json x = name("key", {"part of the key", "键的部分"});
  const Json y = name("query", {"part of the query", "查询的部分"});
  const Json value = number("share", {"share of variance", "方差占比"}, ".3f");
  // By opacity, so that the numbers stay readable in light and in dark.
  Json shade = scaled(value, {{"domain", {0, most}}, {"range", {0, 0.45}}, {"clamp", true}});
  shade["legend"] = nullptr;
  Json cells =
      mark({{"type", "rect"}, {"fill", "@blue"}, {"stroke", "@faint"}}, {{"x", x}, {"y", y}, {"fillOpacity", shade}});
  cells["encoding"]["x"]["axis"] = {{"labelAngle", 0}};
  Json numbers = mark({{"type", "text"}, {"fontSize", 12}, {"color", "@ink"}}, {{"x", x}, {"y", y}, {"text", value}});
  numbers["encoding"]["text"]["format"] = ".3f";
  return {
      .name = "position-strength-terms",
      .title = {"Whose the first layer's logits are", "首层 logits 来自哪些项"},
      .caption =
          {"Share of each of the 16 terms in the logits' variance over keys, all heads and queries together: "
           "Cov(term, logit)/Var(logit), which may be below 0. They add up to 1.",
           "16 项各占 logits 在各键间方差的比例（全部头与查询合计）：Cov(项, logit)/Var(logit)，可为负；总和为 1。"},
      .specification = with_height(layers({std::move(cells), std::move(numbers)}), 220),
      .data = FigureData{{{"query", query}, {"key", key}, {"share", share}}}};
}

}  // namespace summand::lab
