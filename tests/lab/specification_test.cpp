#include "lab/report/specification.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <vector>

#include "lab/report/assets.hpp"
#include "lab/report/figure_csv.hpp"
#include "lab/sample_figures.hpp"

using namespace summand::lab;
using Json = nlohmann::json;

namespace {

std::vector<Figure> every_figure() {
  return {sample::curves(),      sample::scatter(), sample::bars(),         sample::small_map(), sample::product_map(),
          sample::ternary_map(), sample::facets(),  sample::side_by_side(), sample::long_names()};
}

Figure figure_of(std::vector<Column> columns, Json specification = {{"mark", "point"}}) {
  return {.name = "f",
          .title = {"title", "题"},
          .caption = {},
          .specification = std::move(specification),
          .data = FigureData{std::move(columns)}};
}

// Nothing that only the report understands may reach a program that reads Vega-Lite.
void check_plain(const Json& value) {
  if (value.is_string()) {
    CHECK_FALSE(value.get_ref<const std::string&>().starts_with('@'));
  } else if (value.is_structured()) {
    CHECK_FALSE(value.contains("of_width"));
    CHECK_FALSE(value.contains("panels_of"));
    CHECK_FALSE(value.contains("room"));
    CHECK_FALSE((value.contains("en") && value.contains("zh")));
    for (const auto& part : value) check_plain(part);
  }
}

}  // namespace

TEST_CASE("a whole specification has nothing left that stands for something else") {
  for (const auto& figure : every_figure()) {
    for (const auto language : {Language::en, Language::zh}) {
      CAPTURE(figure.name);
      const auto specification = whole_specification(figure, language, 720);
      check_plain(specification);
      CHECK(specification.at("description") == (language == Language::en ? figure.title.en : figure.title.zh));
    }
  }
}

TEST_CASE("texts, sizes and colours are put where something stands for them") {
  const Json given{{"mark", {{"type", "bar"}, {"color", "@ink"}}},
                   {"width", {{"of_width", 0.5}, {"less", 10}}},
                   {"height", {{"of_width", 1}, {"at_most", 300}}},
                   {"encoding", {{"x", {{"title", {{"en", "position"}, {"zh", "位置"}}}}}}}};
  const auto made = whole_specification(figure_of({}, given), Language::zh, 600);
  CHECK(made.at("/mark/color"_json_pointer) == theme().at("/colours/light/@ink"_json_pointer));
  CHECK(made.at("width") == 290);
  CHECK(made.at("height") == 300);
  CHECK(made.at("/encoding/x/title"_json_pointer) == "位置");
}

TEST_CASE("an expression is told how many characters have room, and a long text stands in lines") {
  const Json room{{"of_width", 1}, {"less", 100}};
  const Json given{
      {"test", {{"fitted", {{"en", "length(datum.label) > {} && {} > 0"}, {"zh", "{}"}}}, {"room", room}}},
      {"title", {{"lines_of", {{"en", "one two three four five six"}, {"zh", "一二三"}}}, {"room", room}}}};
  const auto made = [&](Language language, double width) {
    return whole_specification(figure_of({}, given), language, width);
  };
  CHECK(made(Language::en, 238).at("test") == "length(datum.label) > 20 && 20 > 0");
  CHECK(made(Language::zh, 360).at("test") == "20");
  CHECK(made(Language::en, 238).at("title") == Json({"one two three four", "five six"}));
  CHECK(made(Language::en, 800).at("title") == "one two three four five six");
}

TEST_CASE("as many panels stand side by side as have room, and share the width") {
  const Json panels{{"panels_of", 200}, {"at_most", 3}};
  const Json given{{"columns", panels}, {"width", {{"of_width", 1}, {"beside", panels}, {"less", 20}}}};
  const auto made = [&](double width) { return whole_specification(figure_of({}, given), Language::en, width); };
  for (const auto& [width, columns, inner] : std::vector<std::array<double, 3>>{
           {160, 1, 140}, {313, 1, 293}, {399, 1, 379}, {400, 2, 180}, {660, 3, 200}, {960, 3, 300}}) {
    CAPTURE(width);
    CHECK(made(width).at("columns") == columns);
    CHECK(made(width).at("width") == inner);
  }
}

TEST_CASE("light and dark name the same colours") {
  const auto& colours = theme().at("colours");
  for (const auto& [name, colour] : colours.at("light").items()) CHECK(colours.at("dark").contains(name));
  CHECK(colours.at("light").size() == colours.at("dark").size());
}

TEST_CASE("the rows of a figure are its columns, and what is missing is null") {
  const auto figure =
      figure_of({{"a", std::vector<double>{1, std::nan("")}}, {"b", std::vector<std::string>{"x", "y"}}});
  const auto values = whole_specification(figure, Language::en, 720).at("/data/values"_json_pointer);
  const auto through_text = Json::parse(values.dump());
  CHECK(through_text == Json::array({{{"a", 1}, {"b", "x"}}, {{"a", nullptr}, {"b", "y"}}}));
}

TEST_CASE("names in two languages are said in the reader's, and in English in the CSV") {
  const auto figure = figure_of({{"part", std::vector<LocalizedText>{{"token", "词"}, {"position", "位置"}}}});
  const auto rows = [&](Language language) {
    return whole_specification(figure, language, 720).at("/data/values"_json_pointer);
  };
  CHECK(rows(Language::en) == Json::array({{{"part", "token"}}, {{"part", "position"}}}));
  CHECK(rows(Language::zh) == Json::array({{{"part", "词"}}, {{"part", "位置"}}}));
  CHECK(csv_of(figure) == "part\ntoken\nposition\n");
}

TEST_CASE("CSV quotes what needs it, leaves empty what is missing, and has numbers in full") {
  const double third = 1.0 / 3;
  const auto csv = csv_of(figure_of({{"share, %", std::vector<double>{third, std::nan(""), -1e-300}},
                                     {"name", std::vector<std::string>{"a \"b\"", "two\nlines", "位置"}}}));
  CHECK(csv == "\"share, %\",name\n0.3333333333333333,\"a \"\"b\"\"\"\n,\"two\nlines\"\n-1e-300,位置\n");
  CHECK(std::stod(csv.substr(csv.find("0.3"))) == third);
}

TEST_CASE("a matrix in CSV reads back to the same floats") {
  const auto figure = sample::product_map();
  const auto& matrix = std::get<MatrixData>(figure.data);
  std::istringstream lines(csv_of(figure));
  std::string line, cell;
  std::getline(lines, line);
  CHECK(line.starts_with("position \\ dimension,0,1,2,"));
  CHECK(line.ends_with(",383"));
  for (size_t row = 0; row < matrix.rows; ++row) {
    REQUIRE(std::getline(lines, line));
    std::istringstream cells(line);
    std::getline(cells, cell, ',');
    REQUIRE(cell == std::to_string(row));
    for (size_t column = 0; column < matrix.columns; ++column) {
      std::getline(cells, cell, ',');
      const float value = matrix.values[row * matrix.columns + column];
      REQUIRE((std::isnan(value) ? cell.empty() : std::stof(cell) == value));
    }
  }
  CHECK_FALSE(std::getline(lines, line));
}
