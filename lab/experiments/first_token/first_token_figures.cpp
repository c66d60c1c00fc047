#include "lab/experiments/first_token/first_token_figures.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lab/core/charts.hpp"

namespace summand::lab {

using namespace chart;

namespace {

const Series kFirst{{"[CLS]", "[CLS]"}, {.colour = "@blue", .shape = "circle"}};
const Series kWord{{"an ordinary word", "普通词"}, {.colour = "@orange", .dash = {5, 3}, .shape = "square"}};
const Series kMean{{"mean of all words", "所有词的均值"}, {.colour = "@green", .dash = {2, 2}, .shape = "triangle-up"}};

}  // namespace

Figure look_figure(const std::vector<FirstTokenLook>& layers) {
  const std::array<std::pair<Series, double FirstTokenLook::*>, 3> lines{
      {{{{"itself", "自身"}, {.colour = "@blue", .shape = "circle"}}, &FirstTokenLook::itself},
       {{{"other special tokens", "其他特殊词元"}, {.colour = "@purple", .dash = {6, 3}, .shape = "square"}},
        &FirstTokenLook::special},
       {{{"ordinary words", "普通词"}, {.colour = "@orange", .dash = {2, 2}, .shape = "diamond"}},
        &FirstTokenLook::words}}};
  std::vector<double> layer;
  std::vector<double> weight;
  std::vector<Words> at;
  std::vector<Series> series;
  for (const auto& [line, part] : lines) {
    series.push_back(line);
    for (size_t i = 0; i < layers.size(); ++i) {
      layer.push_back(static_cast<double>(i + 1));
      weight.push_back(layers[i].*part);
      at.push_back(line.words);
    }
  }
  return {.name = "first-token-look",
          .title = {"Where [CLS] looks", "[CLS] 关注哪里"},
          .caption = {"Its attention weights in each layer, mean over heads and texts; the three add up to 1.",
                      "各层中 [CLS] 的注意力权重，对头与文本取平均；三者之和为 1。"},
          .specification =
              mark({{"type", "line"}, {"point", true}},
                   of_lines({{"x", whole("layer", {"layer", "层"})},
                             {"y", scaled(number("weight", {"attention weight", "注意力权重"}), {{"domain", {0, 1}}})}},
                            "at", {"looks at", "关注"}, series)),
          .data = FigureData{{{"layer", layer}, {"weight", weight}, {"at", at}}}};
}

Figure gini_figure(const Numbers& numbers) {
  const std::array<std::pair<const char*, Words>, 3> ways{{{"rollout", {"shares, rollout", "份额，注意力展开"}},
                                                           {"norms", {"shares, norm-weighted", "份额，范数加权"}},
                                                           {"influence", {"influence on the vector", "对向量的影响"}}}};
  std::vector<Words> way;
  std::vector<double> value;
  std::vector<Words> vector;
  for (const auto& [name, words] : ways) {
    for (const auto& [what, series] :
         {std::pair{"_first_gini", kFirst}, {"_word_gini", kWord}, {"_mean_gini", kMean}}) {
      way.push_back(words);
      value.push_back(numbers.value(std::string(name) + what));
      vector.push_back(series.words);
    }
  }
  return {
      .name = "first-token-gini",
      .title = {"How unevenly a vector takes from the words", "各向量从词中汲取得多不均匀"},
      .caption = {"Gini coefficient over a text's ordinary words, mean over texts: 0 takes from all alike, near 1 from "
                  "one alone.",
                  "对文本各普通词的基尼系数，对文本取平均：0 为各词相同，接近 1 为只取自一个词。"},
      .specification = with_height(
          mark({{"type", "point"}, {"filled", true}, {"size", 80}},
               of_points({{"y", listed_points("way", {"by", "方法"})},
                          {"x", scaled(number("gini", {"Gini coefficient", "基尼系数"}), {{"domain", {0, 1}}})}},
                         "vector", {"vector", "向量"}, {kFirst, kWord, kMean})),
          height_of(ways.size()) + 20),
      .data = FigureData{{{"way", way}, {"gini", value}, {"vector", vector}}}};
}

Figure readout_figure(const Numbers& numbers) {
  const std::vector<Series> tests{
      {{"first half finds second half", "前半段找后半段"}, {.colour = "@blue", .shape = "circle"}},
      {{"text finds its copy less 15 %", "文本找删去 15% 的副本"}, {.colour = "@orange", .shape = "square"}}};
  const std::array<std::pair<const char*, Words>, 4> vectors{{{"first", kFirst.words},
                                                              {"pooled", {"pooled output", "池化输出"}},
                                                              {"word", kWord.words},
                                                              {"mean", kMean.words}}};
  std::vector<Words> vector;
  std::vector<double> found;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<Words> test;
  const auto add = [&](const std::string& name, const Words& of, const Words& by) {
    const auto& all = numbers.all();
    const auto number = std::ranges::find(all, name, &Number::name);
    if (number == all.end()) return;
    vector.push_back(of);
    found.push_back(number->value);
    low.push_back(number->interval->low);
    high.push_back(number->interval->high);
    test.push_back(by);
  };
  for (const auto& [name, words] : vectors) {
    add(std::string("halves_") + name, words, tests[0].words);
    add(std::string("copies_") + name, words, tests[1].words);
  }
  const Json axis_of = scaled(number("found", {"share of texts found", "找到的文本占比"}, ".3f"), {{"domain", {0, 1}}});
  Json ranges =
      mark({{"type", "rule"}, {"strokeWidth", 2}},
           {{"y", listed_points("vector", {"vector", "向量"})},
            {"x", scaled(number("low", {"share of texts found", "找到的文本占比"}, ".3f"), {{"domain", {0, 1}}})},
            {"x2", {{"field", "high"}}},
            {"color", coloured("test", {"test", "测试"}, tests)}});
  ranges["encoding"].erase("tooltip");
  return {.name = "first-token-readout",
          .title = {"Which vector finds the same text again", "哪个向量能找回同一文本"},
          .caption = {"Nearest by cosine among all texts; lines are 95 % intervals over texts.",
                      "在所有文本中按余弦最近者；横线为文本上的 95% 区间。"},
          .specification =
              with_height(layers({std::move(ranges),
                                  mark({{"type", "point"}, {"filled", true}, {"size", 80}, {"opacity", 1}},
                                       of_points({{"y", listed_points("vector", {"vector", "向量"})}, {"x", axis_of}},
                                                 "test", {"test", "测试"}, tests))}),
                          height_of(static_cast<size_t>(vector.size() / 2)) + 20),
          .data = FigureData{{{"vector", vector}, {"found", found}, {"low", low}, {"high", high}, {"test", test}}}};
}

}  // namespace summand::lab
