#include "lab/report/specification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/base64.hpp"
#include "lab/core/half_away_from_zero.hpp"
#include "lab/report/assets.hpp"
#include "lab/report/colour_map.hpp"
#include "lab/report/matrix_image.hpp"
#include "lab/report/words_json.hpp"

namespace summand::lab {
namespace {

using Json = nlohmann::json;

constexpr double kNarrow = 520;  // pixels: below, legends and names of axes get less room. assets/figures.js has it too
constexpr double kTallestMatrix = 560;  // pixels
constexpr double kLowestMatrix = 150;   // pixels, that an axis' name takes
constexpr double kBesideMatrix = 110;   // pixels that axis and legend take

bool is_composed(const Json& specification) {
  constexpr std::array operators{"facet", "hconcat", "vconcat", "concat", "repeat"};
  if (std::ranges::any_of(operators, [&](const char* name) { return specification.contains(name); })) return true;
  constexpr std::array channels{"facet", "row", "column"};
  const auto encoding = specification.find("encoding");
  return encoding != specification.end() &&
         std::ranges::any_of(channels, [&](const char* name) { return encoding->contains(name); });
}

Json image_layer(const MatrixData& matrix) {
  const auto url = "data:image/png;base64," + base64(png_of(matrix));
  return {{"data", {{"values", Json::array({{{"url", url}}})}}},
          {"mark",
           {{"type", "image"},
            {"aspect", false},
            {"smooth", false},
            {"aria", false},  // or its address, the whole image, is read out
            {"tooltip", nullptr},
            {"width", {{"expr", "width"}}},
            {"height", {{"expr", "height"}}}}},
          {"encoding",
           {{"url", {{"field", "url"}, {"type", "nominal"}}},
            {"x", {{"value", {{"expr", "width / 2"}}}}},
            {"y", {{"value", {{"expr", "height / 2"}}}}}}}};
}

std::string with_minus(double value) {
  auto text = fmt::format("{:.3g}", HalfAwayFromZero{value});
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

// The words of the ternary legend; the scale's names of its three colours.
std::array<Json, 3> ternary_labels(const MatrixData& matrix) {
  return {Json("≤ " + with_minus(matrix.low)), json_of(LocalizedText{"between", "其间"}),
          Json("≥ " + with_minus(matrix.high))};
}

Json colour_encoding(const MatrixData& matrix) {
  Json range = Json::array();
  for (const auto colour : control_points(matrix.scale)) range.push_back(hexadecimal(colour));
  Json domain = Json::array();
  const bool ternary = matrix.scale == MatrixData::Scale::ternary;
  if (ternary) {
    for (auto& label : ternary_labels(matrix)) domain.push_back(std::move(label));
  } else {
    const auto [low, high] = colour_domain(matrix);
    const auto last = static_cast<double>(range.size() - 1);
    for (size_t i = 0; i < range.size(); ++i) domain.push_back(low + static_cast<double>(i) / last * (high - low));
  }
  Json scale{{"domain", std::move(domain)}, {"range", std::move(range)}};
  if (!ternary) scale["interpolate"] = "rgb";
  return {{"field", "value"},
          {"type", ternary ? "nominal" : "quantitative"},
          {"title", json_of(matrix.value_label)},
          {"scale", std::move(scale)},
          {"legend",
           {{"orient", "right"},
            {"columns", 1},
            {"symbolOpacity", 1},
            {"gradientOpacity", 1},
            {"symbolStrokeColor", "@faint"},
            {"symbolStrokeWidth", 1}}}};
}

enum class Direction { rightwards, downwards };

/// A long one in lines below a narrow matrix.
Json title_of(const LocalizedText& title, Direction direction) {
  if (direction == Direction::downwards) return json_of(title);
  return {{"lines_of", json_of(title)}, {"room", {{"of_width", 1}, {"less", kBesideMatrix}}}};
}

Json axis_encoding(const LocalizedText& title, size_t count, Direction direction) {
  return {{"datum", 0},
          {"type", "quantitative"},
          {"axis", {{"title", title_of(title, direction)}, {"format", "d"}, {"tickMinStep", 1}, {"grid", false}}},
          {"scale",
           {{"domain", {-0.5, static_cast<double>(count) - 0.5}},
            {"nice", false},
            {"zero", false},
            {"reverse", direction == Direction::downwards}}}};
}

// Carries what an image has not: axes and the legend.
Json frame_layer(const MatrixData& matrix) {
  Json values = Json::array();
  if (matrix.scale == MatrixData::Scale::ternary) {
    for (auto& label : ternary_labels(matrix)) values.push_back({{"value", std::move(label)}});
  } else {
    values = Json::array({{{"value", matrix.low}}, {{"value", matrix.high}}});
  }
  return {{"data", {{"values", std::move(values)}}},
          {"mark", {{"type", "square"}, {"opacity", 0}, {"aria", false}, {"tooltip", nullptr}}},
          {"encoding",
           {{"x", axis_encoding(matrix.column_label, matrix.columns, Direction::rightwards)},
            {"y", axis_encoding(matrix.row_label, matrix.rows, Direction::downwards)},
            {"color", colour_encoding(matrix)}}}};
}

/// A line between two halves of a matrix.
Json divider_layer(const MatrixData& matrix) {
  const double x = static_cast<double>(matrix.divided_at) - 0.5;
  return {{"data", {{"values", Json::array({Json::object()})}}},
          {"mark", {{"type", "rule"}, {"color", "@ink"}, {"strokeWidth", 3}, {"aria", false}, {"tooltip", nullptr}}},
          {"encoding", {{"x", {{"datum", x}, {"type", "quantitative"}}}}}};
}

Json matrix_specification(const MatrixData& matrix) {
  Json layers{image_layer(matrix), frame_layer(matrix)};
  if (matrix.divided_at > 0) layers.push_back(divider_layer(matrix));
  const double ratio = std::clamp(static_cast<double>(matrix.rows) / static_cast<double>(matrix.columns), 0.25, 1.25);
  return {{"width", {{"of_width", 1}, {"at_most", std::round(kTallestMatrix / ratio + kBesideMatrix)}}},
          {"height",
           {{"of_width", ratio},
            {"less", std::round(kBesideMatrix * ratio)},
            {"at_least", kLowestMatrix},
            {"at_most", kTallestMatrix}}},
          {"layer", std::move(layers)}};
}

double panels_of(const Json& panels, double width) {
  const double room = std::floor(width / panels.at("panels_of").get<double>());
  return std::min(std::max(room, 1.0), panels.value("at_most", 100.0));
}

double size_of(const Json& size, double width) {
  const double panels = size.contains("beside") ? panels_of(size.at("beside"), width) : 1;
  const double pixels = size.at("of_width").get<double>() * width / panels - size.value("less", 0.0);
  return std::round(std::min(std::max(pixels, size.value("at_least", 40.0)), size.value("at_most", 4000.0)));
}

/// How many characters have room in so many pixels.
size_t characters_in(double pixels, Language language) {
  constexpr double kLetter = 6.9;
  constexpr double kCharacter = 13;  // a Chinese one
  constexpr double kLeast = 8;
  return static_cast<size_t>(std::max(kLeast, std::floor(pixels / (language == Language::zh ? kCharacter : kLetter))));
}

/// A Vega expression in which {} stands for a number.
std::string fitted(std::string expression, size_t characters) {
  const std::string number = std::to_string(characters);
  for (size_t at = expression.find("{}"); at != std::string::npos; at = expression.find("{}", at + number.size())) {
    expression.replace(at, 2, number);
  }
  return expression;
}

/// In lines, broken between words.
Json lines_of(const std::string& text, size_t characters) {
  if (text.size() <= characters) return text;
  Json lines = Json::array();
  std::string line;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (!line.empty() && line.size() + 1 + end - at > characters) lines.push_back(std::exchange(line, {}));
    line += (line.empty() ? "" : " ") + text.substr(at, end - at);
    at = end + 1;
  }
  lines.push_back(line);
  return lines;
}

// Puts a text, a size or a colour wherever something stands for one. assets/figures.js does the same.
Json resolved(const Json& value, Language language, double width) {
  if (value.is_string()) {
    const auto& colours = theme().at("colours").at("light");
    const auto colour = colours.find(value.get_ref<const std::string&>());
    return colour != colours.end() ? *colour : value;
  }
  if (value.is_object() && value.contains("of_width")) return size_of(value, width);
  if (value.is_object() && value.contains("panels_of")) return panels_of(value, width);
  if (value.is_object() && value.size() == 2 && value.contains("en") && value.contains("zh")) {
    return value.at(language == Language::en ? "en" : "zh");
  }
  if (value.is_object() && value.contains("room")) {
    const char* said = language == Language::en ? "en" : "zh";
    const size_t characters = characters_in(size_of(value.at("room"), width), language);
    if (value.contains("fitted")) return fitted(value.at("fitted").at(said).get<std::string>(), characters);
    return lines_of(value.at("lines_of").at(said).get<std::string>(), characters);
  }
  Json result = value;
  if (value.is_structured()) {
    for (auto& part : result) part = resolved(part, language, width);
  }
  return result;
}

struct Rows {
  Language language;

  Json operator()(const FigureData& data) const {
    Json rows = Json::array();
    for (const auto& column : data.columns) {
      std::visit(
          [&](const auto& values) {
            for (size_t row = 0; row < values.size(); ++row) {
              if (row == rows.size()) rows.push_back(Json::object());
              rows[row][column.name] = said(values[row]);
            }
          },
          column.values);
    }
    return rows;
  }
  Json operator()(const MatrixData&) const { return {}; }  // its layers bring their own

  [[nodiscard]] Json said(const LocalizedText& words) const { return language == Language::en ? words.en : words.zh; }
  [[nodiscard]] static Json said(double value) { return value; }
  [[nodiscard]] static Json said(const std::string& name) { return name; }
};

}  // namespace

Json page_specification(const Figure& figure) {
  const auto* matrix = std::get_if<MatrixData>(&figure.data);
  Json specification = matrix != nullptr ? matrix_specification(*matrix) : figure.specification;
  specification["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json";
  if (is_composed(specification)) return specification;
  if (!specification.contains("width")) specification["width"] = {{"of_width", 1}};
  if (!specification.contains("height")) {
    specification["height"] = {{"of_width", 0.5}, {"at_least", 230}, {"at_most", 360}};
  }
  // A figure alone has its axes and legends within its width.
  // Beside steps Vega-Lite knows no such thing: there assets/figures.js takes off what is too much.
  const bool fits = specification["width"].contains("of_width") && !specification["height"].contains("step");
  if (fits && !specification.contains("autosize")) {
    specification["autosize"] = {{"type", "fit-x"}, {"contains", "padding"}};
  }
  return specification;
}

Json whole_specification(const Figure& figure, Language language, double width) {
  Json specification = resolved(page_specification(figure), language, width);
  specification["config"] = resolved(theme().at("config"), language, width);
  if (width < kNarrow) specification["config"].merge_patch(resolved(theme().at("narrow"), language, width));
  specification["background"] = "white";
  specification["description"] = language == Language::en ? figure.title.en : figure.title.zh;
  Json rows = std::visit(Rows{language}, figure.data);
  if (!rows.is_null()) specification["data"] = {{"values", std::move(rows)}};
  return specification;
}

}  // namespace summand::lab
