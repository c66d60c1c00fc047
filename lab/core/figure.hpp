#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "lab/core/localized_text.hpp"

namespace summand::lab {

/// One column of a figure's data: numbers (those that are missing are NaN), names that are the same in both languages
/// (tokens, ids), or names that are not (of series, of bars). The CSV has the English ones; a domain or an order in the
/// specification names such values as {"en": …, "zh": …}.
struct Column {
  std::string name;
  std::variant<std::vector<double>, std::vector<std::string>, std::vector<LocalizedText>> values;
};

/// What a figure draws, and what its CSV holds: columns of one length.
struct FigureData {
  std::vector<Column> columns;
};

/// A matrix that is drawn as an image, [rows, columns], row after row. More than 10,000 cells are too many for marks.
struct MatrixData {
  size_t rows = 0;
  size_t columns = 0;
  std::vector<float> values;   ///< those that are missing are NaN
  LocalizedText row_label;     ///< what a row is: "position"
  LocalizedText column_label;  ///< what a column is
  LocalizedText value_label;   ///< what a cell is
  double low = 0;              ///< the colour scale's ends; values beyond take the end's colour
  double high = 1;
  /// sequential: from low to high. diverging: about 0, to the larger of |low| and |high|. ternary: three colours, for
  /// values at or below low, between, and at or above high.
  enum class Scale { sequential, diverging, ternary } scale = Scale::diverging;
  size_t divided_at = 0;  ///< a line stands before this column; 0: none
};

/// A figure of the report. Its specification is a Vega-Lite 5 one without data and configuration: the report adds them,
/// and tooltips and sizes where it names none. In it, an object or a text may stand for what only the report knows:
///
/// - wherever Vega-Lite takes a text, {"en": …, "zh": …}: the text of the reader's language;
/// - wherever it takes a size in pixels, {"of_width": 0.5}: that part of the page's width, and beside it, as needed,
///   "less": pixels taken off, "at_least" and "at_most". A figure beside others (facets, concatenations) names its
///   width in this way, or it is wider than a telephone;
/// - wherever it takes a number of columns, {"panels_of": 200, "at_most": 3}: as many as the page's width has room for,
///   200 pixels each and at least one. As a size's "beside" it divides the width among them before "less" is taken off;
/// - wherever it takes a colour, "@ink", "@faint" (grids, nulls, references), "@paper", "@blue", "@orange", "@green",
///   "@purple", "@sky", "@red": told apart by the colour-blind, in light and in dark. Series that name no colour take
///   blue, orange, green, purple, sky, red in this order.
///
/// The data's columns are fields of the one data set; a layer may filter it by transforms, but brings no data.
struct Figure {
  std::string name;  ///< of its files: "component-curves"; unique in the report
  LocalizedText title;
  LocalizedText caption;  ///< what to look at, in a sentence or two
  nlohmann::json specification;
  std::variant<FigureData, MatrixData> data;  ///< with MatrixData the report writes the specification
};

}  // namespace summand::lab
