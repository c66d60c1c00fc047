#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace summand::train {

/// A line of a chart.
struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;                    ///< (x, y), x ascending
  std::vector<std::vector<std::pair<double, double>>> single = {};  ///< drawn thinly in the same colour, without a name
};

struct Chart {
  std::string title;
  std::string x;  ///< of its axis
  std::string y;
  std::vector<ChartLine> lines;
  bool from_zero = false;  ///< whether the vertical axis starts at 0
};

/// Text escaped for HTML and SVG, also inside double quotes.
[[nodiscard]] std::string to_html(std::string_view text);

/// A chart as a self-contained SVG: 460 wide, with axes and the lines' names above them; light or dark by the reader's
/// system. Empty lines are left out.
[[nodiscard]] std::string to_svg(const Chart& chart);

}  // namespace summand::train
