#include "lab/experiments/beyond_the_table/window_figures.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/interval_figure.hpp"

namespace summand::lab {

namespace {

using Field = std::vector<double> WindowScores::*;

struct BlockFigure {
  std::string name;
  Words title;
  Words caption;
  Words axis;
  Field field;
};

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

Figure block_figure(const WindowsMeasured& measured, size_t rows, const BlockFigure& of) {
  using namespace chart;
  size_t blocks = 0;
  for (const auto& window : measured.windows) blocks = std::max(blocks, window.block + 1);
  std::vector<double> position;
  std::vector<double> value;
  std::vector<Words> what;
  std::vector<Series> series;
  const auto add = [&](const WindowScores& scores, const Series& one) {
    series.push_back(one);
    for (size_t block = 0; block < blocks; ++block) {
      position.push_back((static_cast<double>(block) + 0.5) * static_cast<double>(measured.width));
      value.push_back(block_mean(measured, scores.*of.field, block));
      what.push_back(one.words);
    }
  };
  add(measured.within, {{"within the table", "位置在表内"}, {.colour = "@ink", .width = 2.5}});
  for (size_t table = 0; table < measured.tables.size(); ++table) {
    // Three lines of one look are one too many: of Su's shares his own alone.
    const auto& name = measured.tables[table].name;
    if (name == "hierarchical_20" || name == "hierarchical_60") continue;
    add(measured.scores[table], measured.tables[table].series);
  }
  Json x = whole("position", {"middle of the block, position", "块的中点（位置）"});
  x["scale"]["domain"] = {0, static_cast<double>(blocks * measured.width)};
  Json y = number("value", of.axis);
  y["scale"] = {{"zero", false}, {"padding", 18}};  // room for what the dashed line says
  Json lines = mark({{"type", "line"}, {"point", true}},
                    of_lines({{"x", x}, {"y", y}}, "rows", {"further rows", "多出的行"}, series));
  const auto end = static_cast<double>(rows);
  return {.name = of.name,
          .title = of.title,
          .caption = of.caption,
          .specification =
              layers({std::move(lines), rule("x", end), rule_label("x", end, {"the table ends", "表到此为止"})}),
          .data = FigureData{{{"position", position}, {"value", value}, {"rows", what}}}};
}

}  // namespace

Figure windows_figure(const WindowsMeasured& measured, size_t rows) {
  return block_figure(measured, rows,
                      {.name = "beyond-the-table",
                       .title = {"What a window keeps, by its place in a long text", "窗口在长文本中各处还保住多少"},
                       .caption = {"Cosine of a window's tokens, read with the text before them at their place in a "
                                   "text of twice the table's length, with the same tokens alone. Right of the dashed "
                                   "line rows are made; a stretched table is changed on the left as well.",
                                   "窗口中的词元连同其前文，按其在两倍表长文本中的位置读入，与单独时的余弦。虚线右侧的"
                                   "行是造出来的；插值连左侧也改变了。"},
                       .axis = {"cosine with the window alone", "与窗口单独时的余弦"},
                       .field = &WindowScores::tokens});
}

Figure masked_figure(const WindowsMeasured& measured, size_t rows) {
  return block_figure(measured, rows,
                      {.name = "beyond-the-table-masked",
                       .title = {"Masked words predicted, by position", "各位置上掩码词的准确率"},
                       .caption = {"The same masked words under every table; within the table, the same windows and "
                                   "the same text before them at positions that it has.",
                                   "各种位置表下掩码相同；“位置在表内”指同样的窗口与前文放在表内的位置。"},
                       .axis = {"share of masked words predicted", "掩码词的准确率"},
                       .field = &WindowScores::right});
}

Figure kept_figure(const Numbers& numbers, const std::vector<LongerTable>& tables) {
  std::vector<IntervalRow> rows;
  for (size_t table = 0; table + kNullTables < tables.size(); ++table) {
    const Number& kept = numbers.at("kept_" + tables[table].name);
    rows.push_back({tables[table].series.words, kept.value, *kept.interval});
  }
  const Beside null = *numbers.at("kept_" + tables.front().name).null;
  rows.push_back({tables[tables.size() - kNullTables].series.words, null.value, *null.interval});
  return interval_figure(
      {.name = "beyond-the-table-kept",
       .title = {"What is kept beyond the table", "表外保住多少"},
       .caption = {"Of the way from noise to the table's own positions, by tokens' cosines, with 95 % intervals over "
                   "windows. The last row is a null.",
                   "按词元余弦计，从噪声到表内位置的差距保住的比例，附窗口自助法 95% 区间。末行是零模型。"},
       .axis = {"part kept: 0 noise, 1 the table", "保住的比例：0 为噪声，1 为原表"},
       .rules = {0, 1}},
      rows);
}

}  // namespace summand::lab
