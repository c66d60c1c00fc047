#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/localized_text.hpp"

// The pieces of Vega-Lite specifications that most figures have.
namespace summand::lab::chart {

using Json = nlohmann::json;

Json words(const LocalizedText& text);

/// A column of numbers on an axis. @param format  of d3, for tooltips
Json number(const std::string& field, const LocalizedText& title, const std::string& format = ".3~g");

/// A column of whole numbers (positions, components, layers), on an axis that ends where they end.
Json whole(const std::string& field, const LocalizedText& title);

/// A column of names, in the order of the data.
Json name(const std::string& field, const LocalizedText& title);

/// What an axis takes of number(): everything but the format.
Json axis(Json channel);

/// Adds the scale's ends, or {"type": "log"}.
Json scaled(Json channel, Json scale);

/// Shows numbers on a logarithmic axis, with ticks at these alone.
Json logarithmic(Json channel, std::vector<double> ticks);

/// A column of names down the left side, each written above its own row, so that long ones take no width.
Json listed(const std::string& field, const LocalizedText& title);

/// The same for points; bars have room of their own.
Json listed_points(const std::string& field, const LocalizedText& title);

/// The height of so many names listed(), in pixels.
double height_of(size_t names);

/// A figure alone, of this height instead of the page's usual.
Json with_height(Json specification, double pixels);

/// A mark with x, y and whatever else; the tooltip shows every column that a channel shows, once.
Json mark(Json kind, const std::vector<std::pair<std::string, Json>>& channels);

/// One row instead of all: what is drawn at a place of its own is drawn once.
Json one_row();

/// A horizontal or vertical line at a place: {"x", 128}.
Json rule(const std::string& channel, double at);

/// What a line at a place is, beside its end: above a horizontal one, right of a vertical one.
/// @param down  pixels from the top, of a vertical one
Json rule_label(const std::string& channel, double at, const LocalizedText& text, double down = 0);

Json layers(std::vector<Json> marks);

/// How one of several tables or parts is drawn, the same in every figure: told apart without colour by dash or shape.
struct Look {
  std::string colour = "@blue";
  std::vector<int> dash = {1, 0};
  std::string shape = "circle";
  double width = 1.5;  ///< of its line, in pixels
};

struct Series {
  LocalizedText words;
  Look look;
};

/// The channel that tells series apart by colour; its legend has no title.
Json coloured(const std::string& field, const LocalizedText& title, const std::vector<Series>& series);

using Channels = std::vector<std::pair<std::string, Json>>;

/// The same channels, whose legend shows a piece of each line.
Channels with_strokes(Channels channels);

/// x, y and one line a series.
Channels of_lines(Channels channels, const std::string& field, const LocalizedText& title,
                  const std::vector<Series>& series);

/// x, y and one shape a series.
Channels of_points(Channels channels, const std::string& field, const LocalizedText& title,
                   const std::vector<Series>& series);

/// Panels beside each other.
struct Panels {
  double least = 200;  ///< pixels that a panel has at least, its axis and the space beside it included
  int most = 3;        ///< beside each other
  double axis = 70;    ///< pixels of them that axis and space take
  double height = 150;
};

Json columns_of(const Panels& panels);

/// One of the panels: the specification with its size.
Json panel(Json specification, const Panels& panels);

/// A panel for every name in a column, which stands above it, in this order.
Json facets(Json names, const std::vector<LocalizedText>& order, Json specification, const Panels& panels);

/// Panels that show different columns.
Json side_by_side(const std::vector<Json>& specifications, const Panels& panels);

}  // namespace summand::lab::chart
