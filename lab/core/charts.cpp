#include "lab/core/charts.hpp"

#include <algorithm>
#include <utility>

namespace summand::lab::chart {

Json words(const LocalizedText& text) {
  return {{"en", text.en}, {"zh", text.zh}};
}

Json number(const std::string& field, const LocalizedText& title, const std::string& format) {
  return {{"field", field}, {"type", "quantitative"}, {"title", words(title)}, {"format", format}};
}

Json whole(const std::string& field, const LocalizedText& title) {
  Json channel = number(field, title, "d");
  channel["axis"] = {{"tickMinStep", 1}};
  channel["scale"] = {{"nice", false}, {"zero", false}};
  return channel;
}

Json name(const std::string& field, const LocalizedText& title) {
  return {{"field", field}, {"type", "nominal"}, {"title", words(title)}, {"sort", nullptr}};
}

Json axis(Json channel) {
  channel.erase("format");
  return channel;
}

Json scaled(Json channel, Json scale) {
  channel["scale"] = std::move(scale);
  return channel;
}

Json logarithmic(Json channel, std::vector<double> ticks) {
  channel["axis"] = {{"values", std::move(ticks)}, {"labelOverlap", "greedy"}};
  channel["scale"] = {{"type", "log"}, {"nice", false}};
  return channel;
}

namespace {

/// Pixels, all of the page's width but some.
Json width_less(double pixels) {
  return {{"of_width", 1}, {"less", pixels}};
}

/// A Vega expression in which {} stands for how many characters have room: the report puts it there.
Json fitted(const LocalizedText& expression, Json room) {
  return {{"fitted", words(expression)}, {"room", std::move(room)}};
}

/// A label in as many lines as it needs: broken between words, Chinese between characters.
Json label_lines(Json room) {
  return fitted({R"(split(trim(replace(datum.label, regexp('(.{1,{}})(\\s+|$)', 'g'), '$1\n')), '\n'))",
                 R"(split(trim(replace(datum.label, regexp('(.{1,{}})', 'g'), '$1\n')), '\n'))"},
                std::move(room));
}

}  // namespace

Json listed(const std::string& field, const LocalizedText& title) {
  constexpr double kOneLine = -15;  // above its row
  constexpr double kTwoLines = -26;
  const Json room = width_less(60);
  const LocalizedText is_longer{"length(datum.label) > {}", "length(datum.label) > {}"};
  Json channel = name(field, title);
  channel["axis"] = {
      {"title", nullptr},
      {"ticks", false},
      {"domain", false},
      {"labelAlign", "left"},
      {"labelPadding", 0},
      {"labelOffset", {{"condition", {{"test", fitted(is_longer, room)}, {"value", kTwoLines}}}, {"value", kOneLine}}},
      {"labelExpr", label_lines(room)},
      {"labelLimit", width_less(0)},
      {"labelOverlap", false},
      {"labelColor", "@ink"}};
  channel["scale"] = {{"paddingInner", 0.6}, {"paddingOuter", 0.4}};
  return channel;
}

Json listed_points(const std::string& field, const LocalizedText& title) {
  return scaled(listed(field, title), {{"padding", 0.5}});
}

double height_of(size_t names) {
  constexpr double kStep = 38;
  return kStep * static_cast<double>(names);
}

Json with_height(Json specification, double pixels) {
  specification["height"] = pixels;
  return specification;
}

Json mark(Json kind, const std::vector<std::pair<std::string, Json>>& channels) {
  Json encoding = Json::object();
  Json tooltip = Json::array();
  std::vector<std::string> fields;
  for (const auto& [channel, value] : channels) {
    encoding[channel] = axis(value);
    if (!value.contains("field")) continue;
    auto field = value["field"].get<std::string>();
    if (std::ranges::find(fields, field) != fields.end()) continue;
    fields.push_back(std::move(field));
    Json shown = value;
    for (const char* drawn : {"scale", "sort", "axis", "legend", "stack"}) shown.erase(drawn);
    tooltip.push_back(std::move(shown));
  }
  encoding["tooltip"] = std::move(tooltip);
  return {{"mark", std::move(kind)}, {"encoding", std::move(encoding)}};
}

Json one_row() {
  return Json::array({{{"aggregate", Json::array({{{"op", "count"}, {"as", "rows"}}})}, {"groupby", Json::array()}}});
}

Json rule(const std::string& channel, double at) {
  return {{"transform", one_row()},
          {"mark", {{"type", "rule"}, {"strokeDash", {4, 4}}}},
          {"encoding", {{channel, {{"datum", at}}}}}};
}

Json rule_label(const std::string& channel, double at, const LocalizedText& text, double down) {
  Json mark{{"type", "text"}, {"text", words(text)}, {"color", "@soft"}, {"fontSize", 11}, {"tooltip", nullptr}};
  Json encoding{{channel, {{"datum", at}}}};
  if (channel == "x") {
    mark.update({{"align", "left"}, {"baseline", "top"}, {"dx", 5}});
    encoding["y"] = {{"value", down}};
  } else {
    mark.update({{"align", "right"}, {"baseline", "bottom"}, {"dy", -3}});
    encoding["x"] = {{"value", "width"}};
  }
  return {{"transform", one_row()}, {"mark", std::move(mark)}, {"encoding", std::move(encoding)}};
}

Json layers(std::vector<Json> marks) {
  return {{"layer", std::move(marks)}};
}

namespace {

/// About how many pixels a legend's longest label takes in one of the languages.
double longest_label(const std::vector<Series>& series) {
  constexpr double kLetter = 6.9;
  constexpr double kByteOfCharacter = 13.0 / 3;  // Chinese characters have three
  double longest = 0;
  for (const auto& one : series) {
    longest = std::max({longest, kLetter * static_cast<double>(one.words.en.size()),
                        kByteOfCharacter * static_cast<double>(one.words.zh.size())});
  }
  return longest;
}

/// Without a title; long labels in lines, and as many beside each other as have room.
Json legend_of(const std::vector<Series>& series) {
  constexpr double kShort = 170;    // pixels: four such labels have room, and one on a telephone
  constexpr double kLongest = 250;  // of a line
  constexpr double kSymbol = 60;    // and what lies between
  Json legend{{"title", nullptr}};
  const double longest = longest_label(series);
  if (longest <= kShort) return legend;
  Json room = width_less(120);
  room["at_most"] = kLongest;
  legend["labelExpr"] = label_lines(std::move(room));
  legend["labelLimit"] = width_less(0);
  legend["columns"] = {{"panels_of", std::min(longest, kLongest) + kSymbol}, {"at_most", 4}};
  return legend;
}

/// The channel that tells series apart by one property of their looks; its legend has no title.
template <class Of>
Json by_series(const std::string& field, const LocalizedText& title, const std::vector<Series>& series, Of of) {
  Json channel = name(field, title);
  channel["type"] = "ordinal";  // Vega-Lite has no widths of unordered names
  Json domain = Json::array();
  Json range = Json::array();
  for (const auto& one : series) {
    domain.push_back(words(one.words));
    range.push_back(of(one.look));
  }
  channel["scale"] = {{"domain", std::move(domain)}, {"range", std::move(range)}};
  channel["legend"] = legend_of(series);
  return channel;
}

}  // namespace

Json coloured(const std::string& field, const LocalizedText& title, const std::vector<Series>& series) {
  return by_series(field, title, series, [](const Look& look) { return look.colour; });
}

Channels with_strokes(Channels channels) {
  for (auto& [name, channel] : channels) {
    if (channel.contains("legend")) channel["legend"].update({{"symbolType", "stroke"}, {"symbolSize", 500}});
  }
  return channels;
}

Channels of_lines(Channels channels, const std::string& field, const LocalizedText& title,
                  const std::vector<Series>& series) {
  channels.emplace_back("color", coloured(field, title, series));
  channels.emplace_back("strokeDash", by_series(field, title, series, [](const Look& look) { return look.dash; }));
  channels.emplace_back("strokeWidth", by_series(field, title, series, [](const Look& look) { return look.width; }));
  return with_strokes(std::move(channels));
}

Channels of_points(Channels channels, const std::string& field, const LocalizedText& title,
                   const std::vector<Series>& series) {
  channels.emplace_back("color", coloured(field, title, series));
  channels.emplace_back("shape", by_series(field, title, series, [](const Look& look) { return look.shape; }));
  for (auto& [name, channel] : channels) {
    if (name == "color" || name == "shape") channel["type"] = "nominal";
  }
  return channels;
}

namespace {

/// Between panels, in pixels: as much as the ends of two axes' labels take.
const Json kBetween{{"column", 36}, {"row", 24}};

}  // namespace

Json columns_of(const Panels& panels) {
  return {{"panels_of", panels.least}, {"at_most", panels.most}};
}

Json panel(Json specification, const Panels& panels) {
  specification["width"] = {{"of_width", 1}, {"beside", columns_of(panels)}, {"less", panels.axis}};
  specification["height"] = panels.height;
  return specification;
}

Json facets(Json names, const std::vector<LocalizedText>& order, Json specification, const Panels& panels) {
  names["sort"] = Json::array();
  for (const auto& one : order) names["sort"].push_back(words(one));
  names["header"] = {{"title", nullptr}, {"labelAnchor", "start"}, {"labelFontSize", 12}};
  return {{"facet", std::move(names)},
          {"columns", columns_of(panels)},
          {"spacing", kBetween},
          {"spec", panel(std::move(specification), panels)}};
}

Json side_by_side(const std::vector<Json>& specifications, const Panels& panels) {
  Json all = Json::array();
  for (const auto& one : specifications) all.push_back(panel(one, panels));
  return {{"concat", std::move(all)}, {"columns", columns_of(panels)}, {"spacing", kBetween}};
}

}  // namespace summand::lab::chart
