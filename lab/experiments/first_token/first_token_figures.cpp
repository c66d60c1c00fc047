#include "lab/experiments/first_token/first_token_figures.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"
#include "lab/experiments/first_token/first_token_numbers.hpp"
#include "lab/experiments/first_token/word_influence.hpp"

namespace summand::lab {

using namespace chart;

namespace first_token {
namespace {

Series first_vector() {
  return {localize("first_token.vectors.first"), {.colour = "@blue", .shape = "circle"}};
}
Series word_vector() {
  return {localize("first_token.vectors.word"), {.colour = "@orange", .dash = {5, 3}, .shape = "square"}};
}
Series mean_vector() {
  return {localize("first_token.vectors.mean"), {.colour = "@green", .dash = {2, 2}, .shape = "triangle-up"}};
}

}  // namespace
}  // namespace first_token

Figure look_figure(const std::vector<FirstTokenLook>& layers) {
  const auto text = [](const char* name) {
    return localize(std::string("first_token.figures.first-token-look.") + name);
  };
  const std::array<std::pair<Series, double FirstTokenLook::*>, 3> lines{
      {{{text("itself"), {.colour = "@blue", .shape = "circle"}}, &FirstTokenLook::itself},
       {{text("special"), {.colour = "@purple", .dash = {6, 3}, .shape = "square"}}, &FirstTokenLook::special},
       {{text("words"), {.colour = "@orange", .dash = {2, 2}, .shape = "diamond"}}, &FirstTokenLook::words}}};
  std::vector<double> layer;
  std::vector<double> weight;
  std::vector<LocalizedText> at;
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
          .title = text("title"),
          .caption = text("caption"),
          .specification = mark({{"type", "line"}, {"point", true}},
                                of_lines({{"x", whole("layer", text("layer"))},
                                          {"y", scaled(number("weight", text("weight")), {{"domain", {0, 1}}})}},
                                         "at", text("at"), series)),
          .data = FigureData{{{"layer", layer}, {"weight", weight}, {"at", at}}}};
}

Figure gini_figure(const Numbers& numbers) {
  using namespace first_token;
  const auto text = [](const char* name) {
    return localize(std::string("first_token.figures.first-token-gini.") + name);
  };
  const std::array<std::pair<const char*, std::array<NumberName, 3>>, 3> ways{
      {{"rollout", {kByRollout.first_gini, kByRollout.word_gini, kByRollout.mean_gini}},
       {"norms", {kByNorms.first_gini, kByNorms.word_gini, kByNorms.mean_gini}},
       {"influence", {kByInfluence.first_gini, kByInfluence.word_gini, kByInfluence.mean_gini}}}};
  const std::vector<Series> vectors{first_vector(), word_vector(), mean_vector()};
  std::vector<LocalizedText> way;
  std::vector<double> value;
  std::vector<LocalizedText> vector;
  for (const auto& [name, ginis] : ways) {
    for (size_t i = 0; i < ginis.size(); ++i) {
      way.push_back(text(name));
      value.push_back(numbers.value(ginis[i]));
      vector.push_back(vectors[i].words);
    }
  }
  return {
      .name = "first-token-gini",
      .title = text("title"),
      .caption = text("caption"),
      .specification = with_height(mark({{"type", "point"}, {"filled", true}, {"size", 80}},
                                        of_points({{"y", listed_points("way", text("way"))},
                                                   {"x", scaled(number("gini", text("gini")), {{"domain", {0, 1}}})}},
                                                  "vector", text("vector"), vectors)),
                                   height_of(ways.size()) + 20),
      .data = FigureData{{{"way", way}, {"gini", value}, {"vector", vector}}}};
}

Figure readout_figure(const Numbers& numbers) {
  using namespace first_token;
  const auto text = [](const char* name) {
    return localize(std::string("first_token.figures.first-token-readout.") + name, {{"thinned", 100 * kThinned}});
  };
  const std::vector<Series> tests{{text("halves"), {.colour = "@blue", .shape = "circle"}},
                                  {text("copies"), {.colour = "@orange", .shape = "square"}}};
  struct Finds {
    const char* vector;
    NumberName halves;
    NumberName copies;
  };
  constexpr std::array<Finds, 4> kVectors{{{"first", kHalves.first, kCopies.first},
                                           {"pooled", kHalves.pooled, kCopies.pooled},
                                           {"word", kHalves.word, kCopies.word},
                                           {"mean", kHalves.mean, kCopies.mean}}};
  std::vector<LocalizedText> vector;
  std::vector<double> found;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<LocalizedText> test;
  const auto add = [&](const NumberName& name, const LocalizedText& of, const LocalizedText& by) {
    const auto& all = numbers.all();
    const auto number = std::ranges::find(all, std::string_view(name), &Number::name);
    if (number == all.end()) return;
    vector.push_back(of);
    found.push_back(number->value);
    low.push_back(number->interval->low);
    high.push_back(number->interval->high);
    test.push_back(by);
  };
  for (const auto& [name, halves, copies] : kVectors) {
    const LocalizedText of = localize(std::string("first_token.vectors.") + name);
    add(halves, of, tests[0].words);
    add(copies, of, tests[1].words);
  }
  const Json axis_of = scaled(number("found", text("found"), ".3f"), {{"domain", {0, 1}}});
  Json ranges = mark({{"type", "rule"}, {"strokeWidth", 2}},
                     {{"y", listed_points("vector", text("vector"))},
                      {"x", scaled(number("low", text("found"), ".3f"), {{"domain", {0, 1}}})},
                      {"x2", {{"field", "high"}}},
                      {"color", coloured("test", text("test"), tests)}});
  ranges["encoding"].erase("tooltip");
  return {
      .name = "first-token-readout",
      .title = text("title"),
      .caption = text("caption"),
      .specification = with_height(
          layers({std::move(ranges), mark({{"type", "point"}, {"filled", true}, {"size", 80}, {"opacity", 1}},
                                          of_points({{"y", listed_points("vector", text("vector"))}, {"x", axis_of}},
                                                    "test", text("test"), tests))}),
          height_of(static_cast<size_t>(vector.size() / 2)) + 20),
      .data = FigureData{{{"vector", vector}, {"found", found}, {"low", low}, {"high", high}, {"test", test}}}};
}

}  // namespace summand::lab
