#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/words.hpp"

// The pieces of Vega-Lite specifications that most figures have.
namespace summand::lab::chart {

using Json = nlohmann::json;

inline Json words(const Words& text) {
  return {{"en", text.en}, {"zh", text.zh}};
}

/// A column of numbers on an axis. @param format  of d3, for tooltips
inline Json number(const std::string& field, const Words& title, const std::string& format = ".3~g") {
  return {{"field", field}, {"type", "quantitative"}, {"title", words(title)}, {"format", format}};
}

/// A column of names, in the order of the data.
inline Json name(const std::string& field, const Words& title) {
  return {{"field", field}, {"type", "nominal"}, {"title", words(title)}, {"sort", nullptr}};
}

/// What an axis takes of number(): everything but the format.
inline Json axis(Json channel) {
  channel.erase("format");
  return channel;
}

/// Adds the scale's ends, or {"type": "log"}.
inline Json scaled(Json channel, Json scale) {
  channel["scale"] = std::move(scale);
  return channel;
}

/// A mark with x, y and whatever else; the tooltip shows every channel that is a column.
inline Json mark(Json kind, const std::vector<std::pair<std::string, Json>>& channels) {
  Json encoding = Json::object();
  Json tooltip = Json::array();
  for (const auto& [channel, value] : channels) {
    encoding[channel] = axis(value);
    if (!value.contains("field")) continue;
    Json shown = value;
    shown.erase("scale");
    shown.erase("sort");
    tooltip.push_back(std::move(shown));
  }
  encoding["tooltip"] = std::move(tooltip);
  return {{"mark", std::move(kind)}, {"encoding", std::move(encoding)}};
}

/// A horizontal or vertical line at a place: {"x", 128}.
inline Json rule(const std::string& channel, double at) {
  return {{"mark", {{"type", "rule"}, {"strokeDash", {4, 4}}, {"opacity", 0.6}}},
          {"encoding", {{channel, {{"datum", at}}}}}};
}

inline Json layers(std::vector<Json> marks) {
  return {{"layer", std::move(marks)}};
}

}  // namespace summand::lab::chart
