#include "lab/experiments/beyond_the_table/window_figures.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/interval_figure.hpp"

namespace summand::lab {

namespace beyond_the_table {
namespace {

using Field = std::vector<double> WindowScores::*;

/// A text of one of the figures.
LocalizedText text_of(const std::string& figure, const char* what) {
  return localize("beyond_the_table.figures." + figure + "." + what);
}

/// Mean over the windows of a block.
double block_mean(const WindowsMeasured& measured, const std::vector<double>& values, size_t block) {
  double total = 0;
  double count = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (measured.windows[i].block != block || !std::isfinite(values[i])) continue;
    total += values[i];
    count += 1;
  }
  return count > 0 ? total / count : std::nan("");
}

Figure block_figure(const WindowsMeasured& measured, size_t rows, const std::string& figure, Field field) {
  using namespace chart;
  size_t blocks = 0;
  for (const auto& window : measured.windows) blocks = std::max(blocks, window.block + 1);
  std::vector<double> position;
  std::vector<double> value;
  std::vector<LocalizedText> what;
  std::vector<Series> series;
  const auto add = [&](const WindowScores& scores, const Series& one) {
    series.push_back(one);
    for (size_t block = 0; block < blocks; ++block) {
      position.push_back((static_cast<double>(block) + 0.5) * static_cast<double>(measured.width));
      value.push_back(block_mean(measured, scores.*field, block));
      what.push_back(one.words);
    }
  };
  add(measured.within, {text_of("blocks", "within"), {.colour = "@ink", .width = 2.5}});
  for (size_t table = 0; table < measured.tables.size(); ++table) {
    // Three lines of one look are one too many: of Su's shares his own alone.
    const auto& name = measured.tables[table].name;
    if (name == "hierarchical_20" || name == "hierarchical_60") continue;
    add(measured.scores[table], measured.tables[table].series);
  }
  Json x = whole("position", text_of("blocks", "position"));
  x["scale"]["domain"] = {0, static_cast<double>(blocks * measured.width)};
  Json y = number("value", text_of(figure, "value"));
  y["scale"] = {{"zero", false}, {"padding", 18}};  // room for what the dashed line says
  Json lines = mark({{"type", "line"}, {"point", true}},
                    of_lines({{"x", x}, {"y", y}}, "rows", text_of("blocks", "rows"), series));
  const auto end = static_cast<double>(rows);
  return {.name = figure,
          .title = text_of(figure, "title"),
          .caption = text_of(figure, "caption"),
          .specification = layers({std::move(lines), rule("x", end), rule_label("x", end, text_of("blocks", "end"))}),
          .data = FigureData{{{"position", position}, {"value", value}, {"rows", what}}}};
}

}  // namespace
}  // namespace beyond_the_table

Figure windows_figure(const WindowsMeasured& measured, size_t rows) {
  using namespace beyond_the_table;
  return block_figure(measured, rows, "beyond-the-table", &WindowScores::tokens);
}

Figure masked_figure(const WindowsMeasured& measured, size_t rows) {
  using namespace beyond_the_table;
  return block_figure(measured, rows, "beyond-the-table-masked", &WindowScores::right);
}

Figure kept_figure(const Numbers& numbers, const std::vector<LongerTable>& tables) {
  using namespace beyond_the_table;
  const std::string name = "beyond-the-table-kept";
  std::vector<IntervalRow> rows;
  for (size_t table = 0; table + kNullTables < tables.size(); ++table) {
    const Number& kept = numbers.at(kKept.of(tables[table].name));
    rows.push_back({tables[table].series.words, kept.value, *kept.interval});
  }
  const ReferenceValue null = *numbers.at(kKept.of(tables.front().name)).null;
  rows.push_back({tables[tables.size() - kNullTables].series.words, null.value, *null.interval});
  return interval_figure({.name = name,
                          .title = text_of(name, "title"),
                          .caption = text_of(name, "caption"),
                          .axis = text_of(name, "value"),
                          .rules = {0, 1}},
                         rows);
}

}  // namespace summand::lab
