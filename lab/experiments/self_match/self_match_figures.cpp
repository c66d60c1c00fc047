#include "lab/experiments/self_match/self_match_figures.hpp"

#include <algorithm>
#include <string>

#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"

namespace summand::lab {

namespace self_match {
namespace {

LocalizedText text(const std::string& name) {
  return localize("self_match.figures." + name);
}

const std::array<chart::Series, 4>& series() {
  static const std::array<chart::Series, 4> all{
      chart::Series{text("one_head"), {.colour = "@blue", .shape = "circle"}},
      chart::Series{text("by_heads"), {.colour = "@sky", .dash = {6, 3}, .shape = "square"}},
      chart::Series{text("trained"), {.colour = "@orange", .dash = {3, 2}, .shape = "diamond"}},
      chart::Series{text("equal_norms"), {.colour = "@green", .dash = {8, 3, 2, 3}, .shape = "triangle-up"}}};
  return all;
}

}  // namespace
}  // namespace self_match

Figure own_temperature_figure(const std::array<std::vector<OwnMatch>, 4>& lines) {
  using namespace chart;
  using namespace self_match;
  std::vector<double> factor;
  std::vector<double> weight;
  std::vector<LocalizedText> of;
  for (size_t line = 0; line < lines.size(); ++line) {
    for (size_t i = 0; i < kOwnFactors.size(); ++i) {
      factor.push_back(kOwnFactors[i]);
      weight.push_back(lines[line][i].weight / lines[line][i].rows);
      of.push_back(series()[line].words);
    }
  }
  const Json lines_of =
      mark({{"type", "line"}, {"point", true}},
           of_lines({{"x", logarithmic(number("factor", text("self-match-temperature.factor")), {0.05, 0.2, 1, 4})},
                     {"y", scaled(number("weight", text("weight")), {{"domain", {0, 1}}})}},
                    "of", text("model"), {series().begin(), series().end()}));
  return {.name = "self-match-temperature",
          .title = text("self-match-temperature.title"),
          .caption = text("self-match-temperature.caption"),
          .specification = layers({lines_of, rule("y", kMostOfWeight)}),
          .data = FigureData{{{"factor", factor}, {"weight", weight}, {"of", of}}}};
}

Figure own_layers_figure(const OwnMatches& carried, const OwnMatches& trained) {
  using namespace chart;
  using namespace self_match;
  const Series largest{text("self-match-layers.largest"), {.colour = "@purple", .dash = {2, 2}, .shape = "cross"}};
  const Series uniform{text("self-match-layers.uniform"), {.colour = "@faint", .dash = {1, 3}}};
  std::vector<double> layer;
  std::vector<double> weight;
  std::vector<LocalizedText> of;
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
          .title = text("self-match-layers.title"),
          .caption = text("self-match-layers.caption"),
          .specification = mark({{"type", "line"}, {"point", true}},
                                of_lines({{"x", whole("layer", text("self-match-layers.layer"))},
                                          {"y", scaled(number("weight", text("weight")), {{"domain", {0, 1}}})}},
                                         "of", text("model"), {series()[0], series()[2], largest, uniform})),
          .data = FigureData{{{"layer", layer}, {"weight", weight}, {"of", of}}}};
}

Figure own_norms_figure(const std::vector<OwnMatch>& matches) {
  using namespace chart;
  using namespace self_match;
  const std::vector<Series> all{
      {text("self-match-norms.first"), {.colour = "@blue", .shape = "circle"}},
      {text("self-match-norms.dominates"), {.colour = "@orange", .dash = {5, 3}, .shape = "square"}}};
  std::vector<double> spread;
  std::vector<double> share;
  std::vector<LocalizedText> of;
  for (size_t i = 0; i < kOwnSpreads.size(); ++i) {
    for (size_t line = 0; line < all.size(); ++line) {
      spread.push_back(kOwnSpreads[i]);
      share.push_back((line == 0 ? matches[i].first : matches[i].dominates) / matches[i].rows);
      of.push_back(all[line].words);
    }
  }
  return {.name = "self-match-norms",
          .title = text("self-match-norms.title"),
          .caption = text("self-match-norms.caption"),
          .specification =
              mark({{"type", "line"}, {"point", true}},
                   of_lines({{"x", number("spread", text("self-match-norms.spread"))},
                             {"y", scaled(number("share", text("self-match-norms.share")), {{"domain", {0, 1}}})}},
                            "of", text("self-match-norms.what"), all)),
          .data = FigureData{{{"spread", spread}, {"share", share}, {"of", of}}}};
}

}  // namespace summand::lab
