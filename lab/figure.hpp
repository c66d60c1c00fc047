#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "lab/words.hpp"

namespace summand::lab {

/// One column of a figure's data: numbers or names.
struct Column {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::string>> values;
};

/// What a figure draws, and what its CSV holds: columns of one length.
struct FigureData {
  std::vector<Column> columns;
};

/// A matrix that is drawn as an image, [rows, columns], row after row. More than 10,000 cells are too many for marks.
struct MatrixData {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<float> values;
  Words row_label;     ///< what a row is: "position"
  Words column_label;  ///< what a column is
  Words value_label;   ///< what a cell is
  double low = 0;      ///< the colour scale's ends; values beyond take the end's colour
  double high = 1;
  enum class Scale { sequential, diverging, ternary } scale = Scale::diverging;  ///< diverging and ternary: about 0
};

/// A figure of the report. Its texts are given once for both languages: in `specification`, wherever Vega-Lite takes a
/// text, an object {"en": …, "zh": …} stands for it.
struct Figure {
  std::string name;  ///< of its files: "component-curves"; unique in the report
  Words title;
  Words caption;  ///< what to look at, in a sentence or two
  /// A Vega-Lite 5 specification without data, size and configuration: the report adds them. Its data are the columns.
  nlohmann::json specification;
  std::variant<FigureData, MatrixData> data;  ///< with MatrixData the report writes the specification
};

}  // namespace summand::lab
