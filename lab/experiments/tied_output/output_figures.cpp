#include "lab/experiments/tied_output/output_figures.hpp"

#include <fmt/format.h>

#include <utility>

#include "lab/core/charts.hpp"
#include "lab/probing/composition_costs.hpp"

namespace summand::lab {

OutputCost output_cost(const model::Config& config) {
  const auto width = static_cast<double>(config.hidden_size);
  const auto layers = static_cast<double>(config.num_hidden_layers);
  return {.vocabulary = static_cast<double>(config.vocab_size),
          .width = width,
          .encoder = operations_of_layers(config) + layers * 4 * kCostLength * width};
}

Figure rates_figure(const OutputRates& rates) {
  using namespace chart;
  const std::vector<Series> series{
      {{"this checkpoint", "此检查点"}, {.colour = "@blue"}},
      {{"norms spread widely", "模长悬殊"}, {.colour = "@orange", .shape = "square"}},
      {{"equal norms, no bias", "等长、无偏置"}, {.colour = "@green", .shape = "triangle-up"}}};
  std::vector<Words> measure;
  std::vector<Words> rows;
  std::vector<double> share;
  for (const auto& rate : rates) {
    const double values[] = {rate.own, rate.null, rate.control};
    for (size_t i = 0; i < series.size(); ++i) {
      measure.push_back(rate.words);
      rows.push_back(series[i].words);
      share.push_back(100 * values[i]);
    }
  }
  Json points =
      mark({{"type", "point"}, {"size", 90}, {"filled", true}},
           of_points(
               {{"y", listed_points("measure", {"nearest", "最近"})},
                {"x", scaled(number("share", {"vectors whose winner is the nearest row, %", "胜者即最近行的向量（%）"}),
                             {{"domain", {0, 100}}})}},
               "rows", {"rows", "行"}, series));
  return {.name = "nearest-rows",
          .title = {"How often the largest logit is the nearest row's", "最大 logit 有多常属于最近的行"},
          .caption = {"Only with rows of one length and no bias is the winner always the nearest. Where do this "
                      "checkpoint's circles lie?",
                      "只有各行等长且无偏置时，胜者才总是最近的行。此检查点的圆点落在哪里？"},
          .specification = with_height(std::move(points), height_of(rates.size()) + 30),
          .data = FigureData{{{"measure", measure}, {"rows", rows}, {"share", share}}}};
}

Figure cost_figure(const OutputCost& cost) {
  using namespace chart;
  const std::vector<Series> series{
      {{"output layer and softmax", "输出层与 softmax"}, {.colour = "@blue", .width = 2.5}},
      {{"all layers", "全部各层"}, {.colour = "@orange", .dash = {6, 3}}}};
  std::vector<double> vocabulary;
  std::vector<double> operations;
  std::vector<Words> part;
  for (size_t i = 0; i < series.size(); ++i) {
    for (double words = 1000; words <= 300000; words *= 1.25) {
      vocabulary.push_back(words);
      operations.push_back((i == 0 ? cost.output(words) : cost.encoder) / 1e6);
      part.push_back(series[i].words);
    }
  }
  Json lines = mark(
      {{"type", "line"}},
      of_lines(
          {{"x", logarithmic(number("vocabulary", {"words in the vocabulary (logarithmic)", "词表大小（对数）"}, ",d"),
                             {1000, 10000, 100000})},
           {"y", logarithmic(number("operations", {"million operations (logarithmic)", "百万次运算（对数）"}),
                             {0.1, 1, 10, 100, 1000})}},
          "part", {"part", "部分"}, series));
  return {
      .name = "output-cost",
      .title = {"What predicting one token costs by vocabulary", "预测一个词元的代价随词表的变化"},
      .caption = {fmt::format(
                      "The output grows with the vocabulary, the layers ({} tokens of context) do not. The dashed line "
                      "is this checkpoint's vocabulary.",
                      kCostLength),
                  fmt::format("输出随词表增长，各层（上下文 {} 个词元）不变。虚线是此检查点的词表大小。", kCostLength)},
      .specification = layers({std::move(lines), rule("x", cost.vocabulary),
                               rule_label("x", cost.vocabulary, {"this checkpoint", "此检查点"}, 4)}),
      .data = FigureData{{{"vocabulary", vocabulary}, {"part", part}, {"operations", operations}}}};
}

}  // namespace summand::lab
