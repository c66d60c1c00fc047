#include "lab/experiments/self_match/self_match_figures.hpp"

#include <algorithm>

#include "lab/core/charts.hpp"

namespace summand::lab {

namespace {

const std::array<chart::Series, 4>& series() {
  static const std::array<chart::Series, 4> all{
      chart::Series{{"no maps, one head", "无参数矩阵，单头"}, {.colour = "@blue", .shape = "circle"}},
      chart::Series{{"no maps, by heads", "无参数矩阵，多头"}, {.colour = "@sky", .dash = {6, 3}, .shape = "square"}},
      chart::Series{{"trained maps", "训练好的参数矩阵"}, {.colour = "@orange", .dash = {3, 2}, .shape = "diamond"}},
      chart::Series{{"equal norms", "模长相等"}, {.colour = "@green", .dash = {8, 3, 2, 3}, .shape = "triangle-up"}}};
  return all;
}

}  // namespace

Figure own_temperature_figure(const std::array<std::vector<OwnMatch>, 4>& lines) {
  using namespace chart;
  std::vector<double> factor;
  std::vector<double> weight;
  std::vector<Words> of;
  for (size_t line = 0; line < lines.size(); ++line) {
    for (size_t i = 0; i < kOwnFactors.size(); ++i) {
      factor.push_back(kOwnFactors[i]);
      weight.push_back(lines[line][i].weight / lines[line][i].rows);
      of.push_back(series()[line].words);
    }
  }
  const Json lines_of = mark(
      {{"type", "line"}, {"point", true}},
      of_lines({{"x", logarithmic(number("factor", {"factor on the logits", "logit 的倍数"}), {0.05, 0.2, 1, 4})},
                {"y", scaled(number("weight", {"mean weight on oneself", "自身的平均权重"}), {{"domain", {0, 1}}})}},
               "of", {"model", "模型"}, {series().begin(), series().end()}));
  return {
      .name = "self-match-temperature",
      .title = {"Weight on oneself by temperature", "自身权重随温度的变化"},
      .caption = {"1 is the usual scale, 1/√width of the head. First layer, except for trained maps: all layers. "
                  "Without maps, a smaller factor alone gives the weight to others.",
                  "1 为通常的缩放 1/√头宽。均为第一层，训练好的矩阵为所有层。没有参数矩阵时，仅靠更小的倍数就能把权重"
                  "分给其他词。"},
      .specification = layers({lines_of, rule("y", 0.5)}),
      .data = FigureData{{{"factor", factor}, {"weight", weight}, {"of", of}}}};
}

Figure own_layers_figure(const OwnMatches& carried, const OwnMatches& trained) {
  using namespace chart;
  const Series largest{{"trained, head with most", "训练好的，自身权重最大的头"},
                       {.colour = "@purple", .dash = {2, 2}, .shape = "cross"}};
  const Series uniform{{"all weights equal", "权重全部相等"}, {.colour = "@faint", .dash = {1, 3}}};
  std::vector<double> layer;
  std::vector<double> weight;
  std::vector<Words> of;
  const auto add_point = [&](size_t at, double value, const Series& line) {
    layer.push_back(static_cast<double>(at + 1));
    weight.push_back(value);
    of.push_back(line.words);
  };
  for (size_t at = 0; at < trained.layers; ++at) {
    const OwnMatch without = carried.layer(at);
    const OwnMatch with = trained.layer(at);
    double most = 0;
    for (size_t h = 0; h < trained.heads; ++h) {
      const OwnMatch head = trained.head(at, h);
      most = std::max(most, head.weight / head.rows);
    }
    add_point(at, without.weight / without.rows, series()[0]);
    add_point(at, with.weight / with.rows, series()[2]);
    add_point(at, most, largest);
    add_point(at, with.uniform / with.rows, uniform);
  }
  return {.name = "self-match-layers",
          .title = {"Weight on oneself by layer", "各层的自身权重"},
          .caption = {"Without maps the states are carried through all layers with one head, values unmapped too.",
                      "无参数矩阵时以单头传过所有层，value 也不乘矩阵。"},
          .specification = mark({{"type", "line"}, {"point", true}},
                                of_lines({{"x", whole("layer", {"layer", "层"})},
                                          {"y", scaled(number("weight", {"mean weight on oneself", "自身的平均权重"}),
                                                       {{"domain", {0, 1}}})}},
                                         "of", {"model", "模型"}, {series()[0], series()[2], largest, uniform})),
          .data = FigureData{{{"layer", layer}, {"weight", weight}, {"of", of}}}};
}

Figure own_norms_figure(const std::vector<OwnMatch>& matches) {
  using namespace chart;
  const std::vector<Series> all{
      {{"own logit is largest", "自身 logit 最大"}, {.colour = "@blue", .shape = "circle"}},
      {{"over half of the weight", "权重过半"}, {.colour = "@orange", .dash = {5, 3}, .shape = "square"}}};
  std::vector<double> spread;
  std::vector<double> share;
  std::vector<Words> of;
  for (size_t i = 0; i < kOwnSpreads.size(); ++i) {
    for (size_t line = 0; line < all.size(); ++line) {
      spread.push_back(kOwnSpreads[i]);
      share.push_back((line == 0 ? matches[i].first : matches[i].dominates) / matches[i].rows);
      of.push_back(all[line].words);
    }
  }
  return {
      .name = "self-match-norms",
      .title = {"What unequal norms do", "模长不等的影响"},
      .caption = {"The inputs' directions, one head, norms drawn anew. At equal norms, by Cauchy and Schwarz, every "
                  "own logit is largest.",
                  "保留输入的方向，单头，模长重新抽取。模长相等时，由柯西–施瓦茨不等式，自身 logit 总是最大。"},
      .specification =
          mark({{"type", "line"}, {"point", true}},
               of_lines({{"x", number("spread", {"spread of the norms' logarithm", "模长对数的标准差"})},
                         {"y", scaled(number("share", {"share of words", "词的占比"}), {{"domain", {0, 1}}})}},
                        "of", {"what", "项目"}, all)),
      .data = FigureData{{{"spread", spread}, {"share", share}, {"of", of}}}};
}

}  // namespace summand::lab
