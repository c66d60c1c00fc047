#include "lab/report/figure_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace summand::lab {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string cell(double value) {
  return std::isnan(value) ? "" : fmt::format("{}", value);
}
std::string cell(const std::string& name) {
  return quoted(name);
}
std::string cell(const LocalizedText& name) {
  return quoted(name.en);
}

std::string cell(const Column& column, size_t row) {
  return std::visit([row](const auto& values) { return cell(values.at(row)); }, column.values);
}

struct Csv {
  std::string operator()(const FigureData& data) const {
    size_t rows = 0;
    std::string text;
    for (const auto& column : data.columns) {
      text += (text.empty() ? "" : ",") + quoted(column.name);
      rows = std::max(rows, std::visit([](const auto& values) { return values.size(); }, column.values));
    }
    text += '\n';
    for (size_t row = 0; row < rows; ++row) {
      for (size_t i = 0; i < data.columns.size(); ++i) text += (i == 0 ? "" : ",") + cell(data.columns[i], row);
      text += '\n';
    }
    return text;
  }
  std::string operator()(const MatrixData& matrix) const {
    std::string text = quoted(matrix.row_label.en + " \\ " + matrix.column_label.en);
    for (size_t column = 0; column < matrix.columns; ++column) fmt::format_to(std::back_inserter(text), ",{}", column);
    for (size_t row = 0; row < matrix.rows; ++row) {
      fmt::format_to(std::back_inserter(text), "\n{}", row);
      for (size_t column = 0; column < matrix.columns; ++column) {
        const float value = matrix.values.at(row * matrix.columns + column);
        text += std::isnan(value) ? "," : fmt::format(",{}", value);
      }
    }
    return text + '\n';
  }
};

}  // namespace

std::string csv_of(const Figure& figure) {
  return std::visit(Csv{}, figure.data);
}

}  // namespace summand::lab
