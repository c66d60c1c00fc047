#include "lab/experiments/attention_cost/attention_figures.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/charts.hpp"

namespace summand::lab {

namespace {

/// Few ticks, every one with its number: Vega thins out a logarithmic axis by its count of ticks.
chart::Json with_all_ticks(chart::Json channel, std::vector<double> ticks) {
  channel = chart::logarithmic(std::move(channel), std::move(ticks));
  channel["axis"].update({{"labelOverlap", false}, {"tickCount", 100}});
  return channel;
}

}  // namespace

LayerOperations layer_operations(const model::Config& config) {
  return {static_cast<double>(config.hidden_size), static_cast<double>(config.intermediate_size)};
}

AttentionInput input_of(const AttentionSize& size, const Conditions& conditions) {
  RandomStream stream(conditions.seed, fmt::format("attention cost: {} {}", size.length, size.width));
  return AttentionInput::drawn(size, stream);
}

AttentionCounts counts_of(const AttentionSize& size, HeadLayout layout, const Conditions& conditions) {
  return count_attention(input_of(size, conditions), layout).counts;
}

Figure operations_figure(const model::Config& config) {
  using namespace chart;
  const std::vector<Series> series{
      {{"scores and weighted average: 4n²d", "打分与加权平均：4n²d"}, {.colour = "@blue", .width = 2.5}},
      {{"four projections: 8nd²", "四个投影：8nd²"}, {.colour = "@orange", .dash = {6, 3}}},
      {{"feed-forward: 16nd² in BERT", "前馈：BERT 中为 16nd²"}, {.colour = "@green", .dash = {2, 2}}}};
  const LayerOperations own = layer_operations(config);
  std::vector<double> length;
  std::vector<double> operations;
  std::vector<Words> part;
  const double last = 2 * (2 * own.width + own.inner);
  for (size_t i = 0; i < series.size(); ++i) {
    for (double n = kShortText; n <= last; n *= std::sqrt(2)) {
      const double values[] = {own.own(n), own.projections(n), own.feed_forward(n)};
      length.push_back(std::round(n));
      operations.push_back(values[i] / 1e6);
      part.push_back(series[i].words);
    }
  }
  Json lines = mark({{"type", "line"}},
                    of_lines({{"x", logarithmic(number("length", {"tokens n (logarithmic)", "词元数 n（对数）"}, "d"),
                                                {16, 64, 256, 1024, 4096, 16384})},
                              {"y", logarithmic(number("operations", {"million operations, one layer (logarithmic)",
                                                                      "每层百万次运算（对数）"}),
                                                {0.01, 1, 100, 10000, 1000000})}},
                             "part", {"part", "部分"}, series));
  lines["encoding"]["color"]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  lines["encoding"]["strokeDash"]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  lines["encoding"]["strokeWidth"]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  const auto longest = static_cast<double>(config.max_position_embeddings);
  return {
      .name = "attention-operations",
      .title = {"What a layer's parts cost by length", "一层各部分的运算量随长度的变化"},
      .caption = {"Attention's own part crosses the projections at 2d tokens and all the rest at 2d plus the inner "
                  "width (6d in BERT). The dashed line is the longest text this checkpoint reads.",
                  "注意力自身的部分在 2d 个词元处超过投影，在 2d 加前馈内宽（BERT 中为 "
                  "6d）处超过其余全部。虚线是此检查点能读的最长文本。"},
      .specification = layers({std::move(lines), rule("x", longest), rule_label("x", longest, {"longest", "最长"}, 4)}),
      .data = FigureData{{{"length", length}, {"part", part}, {"operations", operations}}}};
}

Figure times_figure(const AttentionTimes& times) {
  using namespace chart;
  const std::array<Look, 3> looks{Look{.colour = "@purple", .width = 2.5}, Look{.colour = "@blue", .dash = {6, 3}},
                                  Look{.colour = "@orange", .dash = {2, 2}}};
  std::vector<Series> series;
  std::vector<double> length;
  std::vector<double> milliseconds;
  std::vector<Words> part;
  for (size_t i = 0; i < times.by_length.size(); ++i) {
    const auto& curve = times.by_length[i];
    series.push_back({curve.words, looks[i]});
    const auto medians = curve.medians();
    for (size_t k = 0; k < medians.size(); ++k) {
      length.push_back(curve.sizes[k]);
      milliseconds.push_back(1000 * medians[k]);
      part.push_back(curve.words);
    }
  }
  Json lines = mark({{"type", "line"}, {"point", true}},
                    of_lines({{"x", logarithmic(number("length", {"tokens n (logarithmic)", "词元数 n（对数）"}, "d"),
                                                {16, 32, 64, 128, 256, 512})},
                              {"y", logarithmic(number("milliseconds", {"milliseconds (logarithmic)", "毫秒（对数）"}),
                                                {0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000})}},
                             "part", {"part", "部分"}, series));
  for (const char* channel : {"color", "strokeDash", "strokeWidth"}) {
    lines["encoding"][channel]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  }
  return {.name = "attention-times",
          .title = {"How long it takes by length", "耗时随长度的变化"},
          .caption = {"Medians of alternated repetitions on one thread of the machine that ran this; they differ from "
                      "run to run, and no verdict rests on them.",
                      "在运行此报告的机器上单线程、交替重复测量的中位数；每次运行都会不同，任何结论都不依赖它们。"},
          .specification = std::move(lines),
          .data = FigureData{{{"length", length}, {"part", part}, {"milliseconds", milliseconds}}}};
}

Figure heads_figure(size_t width, const AttentionTimes& times, const Conditions& conditions) {
  using namespace chart;
  const std::vector<Series> series{{{"two products", "两个乘积"}, {.colour = "@blue", .width = 2.5}},
                                   {{"softmax", "softmax"}, {.colour = "@orange", .dash = {6, 3}}},
                                   {{"the document's n²·d·m", "文中的 n²·d·m"}, {.colour = "@faint", .dash = {2, 3}}}};
  std::vector<double> heads;
  std::vector<double> counted;
  std::vector<double> milliseconds;
  std::vector<Words> part;
  const auto counts = head_counts(width);
  const double scale = std::pow(static_cast<double>(times.heads_length) / kShortText, 2) / 1e6;
  for (size_t i = 0; i < series.size(); ++i) {
    for (size_t k = 0; k < counts.size(); ++k) {
      const auto one =
          counts_of({.length = kShortText, .width = width, .heads = counts[k]}, HeadLayout::reshaped, conditions);
      const auto m = static_cast<double>(counts[k]);
      const auto products = static_cast<double>(one.products());
      const double values[] = {products, static_cast<double>(one.exponentials), products * m};
      heads.push_back(m);
      counted.push_back(values[i] * scale);
      milliseconds.push_back(i < 2 ? 1000 * times.by_heads[i].medians()[k] : std::numeric_limits<double>::quiet_NaN());
      part.push_back(series[i].words);
    }
  }
  const auto over_heads = [&](Json y) {
    return mark(
        {{"type", "line"}, {"point", true}},
        of_lines(
            {{"x", with_all_ticks(number("heads", {"heads m (logarithmic)", "头数 m（对数）"}, "d"), {1, 4, 16, 64})},
             {"y", std::move(y)}},
            "part", {"part", "部分"}, series));
  };
  return {
      .name = "attention-heads",
      .title = {"What heads cost at a fixed width", "宽度固定时，多头的代价"},
      .caption = {fmt::format(
                      "Counted at {} tokens, in multiply–adds and the softmax's exponentials: do the products grow "
                      "with m as the document says? Measured: do many narrow heads take longer than a few wide ones, "
                      "and which part of it is the softmax?",
                      times.heads_length),
                  fmt::format("按 {} 个词元计数（乘加；softmax 为指数运算）：乘积是否如文中所说随 m "
                              "增长？实测：头多而窄是否比头少而宽更慢，其中 "
                              "softmax 占多少？",
                              times.heads_length)},
      .specification = side_by_side(
          {over_heads(with_all_ticks(number("counted", {"millions counted (logarithmic)", "计数（百万，对数）"}),
                                     {0.01, 0.1, 1, 10, 100, 1000, 10000})),
           over_heads(with_all_ticks(number("milliseconds", {"milliseconds (logarithmic)", "毫秒（对数）"}),
                                     {0.01, 0.1, 1, 10, 100}))},
          {.least = 300, .most = 2, .axis = 80, .height = 210}),
      .data = FigureData{{{"heads", heads}, {"part", part}, {"counted", counted}, {"milliseconds", milliseconds}}}};
}

Words exponents_in_words(const AttentionTimes& times, uint64_t seed) {
  const auto said = [&](const TimedCurve& curve, const std::string& name) {
    const auto exponent = exponent_of(curve, seed, name);
    return fmt::format("{:.2f} [{:.2f}, {:.2f}]", exponent.value, exponent.interval.low, exponent.interval.high);
  };
  std::string en = "Measured exponents, intervals over repetitions; they differ from run to run: ";
  std::string zh = "实测指数（区间来自重复测量，每次运行不同）：";
  if (times.by_length.front().sizes.size() > 1) {
    for (const auto& curve : times.by_length) {
      const auto value = said(curve, curve.words.en);
      en += fmt::format("{} n^{}; ", curve.words.en, value);
      zh += fmt::format("{} n^{}；", curve.words.zh, value);
    }
  }
  if (times.by_heads.front().sizes.size() > 1) {
    const auto products = said(times.by_heads[0], "products over heads");
    const auto softmax = said(times.by_heads[1], "softmax over heads");
    en += fmt::format("over heads, products m^{}, softmax m^{}.", products, softmax);
    zh += fmt::format("对头数：乘积 m^{}，softmax m^{}。", products, softmax);
  }
  return {en, zh};
}

}  // namespace summand::lab
