#include "lab/sample_figures.hpp"

#include <cmath>
#include <limits>

namespace summand::lab::sample {
namespace {

using Json = nlohmann::json;

Json field(const char* name, const char* type) {
  return {{"field", name}, {"type", type}};
}

Json titled(Json channel, const char* en, const char* zh) {
  channel["title"] = {{"en", en}, {"zh", zh}};
  return channel;
}

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

}  // namespace

Figure curves() {
  std::vector<double> position, value, low, high;
  std::vector<std::string> series;
  for (const int component : {1, 2, 3}) {
    for (int p = 0; p < 512; p += 4) {
      const double at = std::sin(p * 0.0123 * component) / component;
      position.push_back(p);
      value.push_back(at);
      low.push_back(at - 0.1);
      high.push_back(at + 0.1);
      series.push_back("PC " + std::to_string(component));
    }
  }
  value[7] = std::nan("");
  const Json x = titled(field("position", "quantitative"), "position", "位置");
  const Json color = titled(field("series", "nominal"), "component", "主成分");
  return {
      .name = "component-curves",
      .title = {"Principal components along the positions", "主成分随位置的变化"},
      .caption = {"Each line is a principal component; its band is the interval over 20 resamplings. The null is not "
                  "shown.",
                  "每条线是一个主成分；阴影为 20 次重抽样的区间。未画零模型。"},
      .specification =
          {{"layer",
            {{{"mark", "area"},
              {"encoding",
               {{"x", x}, {"y", field("low", "quantitative")}, {"y2", {{"field", "high"}}}, {"color", color}}}},
             {{"mark", "line"},
              {"encoding",
               {{"x", x}, {"y", titled(field("score", "quantitative"), "score", "得分")}, {"color", color}}}}}}},
      .data = FigureData{{{"position", position}, {"score", value}, {"low", low}, {"high", high}, {"series", series}}}};
}

Figure scatter() {
  std::vector<double> first, second, position;
  for (int p = 0; p < 512; ++p) {
    first.push_back(std::cos(p * 0.02) * (1 + p * 0.001));
    second.push_back(std::sin(p * 0.02) * (1 + p * 0.001));
    position.push_back(p);
  }
  return {.name = "trajectory",
          .title = {"The first two components as a trajectory", "前两个主成分的轨迹"},
          .caption = {"A point is a position.", "每个点是一个位置。"},
          .specification = {{"mark", "point"},
                            {"encoding",
                             {{"x", titled(field("first", "quantitative"), "first component", "第一主成分")},
                              {"y", titled(field("second", "quantitative"), "second component", "第二主成分")},
                              {"color", titled(field("position", "quantitative"), "position", "位置")}}}},
          .data = FigureData{{{"first", first}, {"second", second}, {"position", position}}}};
}

Figure bars() {
  Json x = titled(field("part", "nominal"), "part of the sum", "和的组成部分");
  x["sort"] = nullptr;
  return {
      .name = "shares",
      .title = {"Each part's share of the sum", "各部分在和中的占比"},
      .caption = {"Whiskers are intervals; the dashed line is the null.", "须线为区间；虚线为零模型。"},
      .specification = {{"layer",
                         {{{"mark", "bar"},
                           {"encoding", {{"x", x}, {"y", titled(field("share", "quantitative"), "share", "占比")}}}},
                          {{"mark", {{"type", "rule"}, {"color", "@ink"}}},
                           {"encoding", {{"x", x}, {"y", field("low", "quantitative")}, {"y2", {{"field", "high"}}}}}},
                          {{"mark", {{"type", "rule"}, {"color", "@faint"}, {"strokeDash", {4, 4}}}},
                           {"encoding", {{"y", {{"datum", 1.0 / 3}, {"type", "quantitative"}}}}}}}}},
      .data = FigureData{
          {{"part", std::vector<LocalizedText>{{"token", "词"}, {"position", "位置"}, {"segment, \"A\"", "句段“A”"}}},
           {"share", std::vector<double>{0.812345678, 0.15, 0.037}},
           {"low", std::vector<double>{0.79, 0.14, 0.03}},
           {"high", std::vector<double>{0.83, 0.16, 0.05}}}}};
}

Figure small_map() {
  std::vector<double> head, layer, value;
  for (int l = 1; l <= 6; ++l) {
    for (int h = 1; h <= 12; ++h) {
      layer.push_back(l);
      head.push_back(h);
      value.push_back(0.5 + 0.5 * std::sin(l * h));
    }
  }
  return {.name = "heads",
          .title = {"Heads that look at a fixed distance", "关注固定距离的注意力头"},
          .caption = {"A cell is a head.", "每格是一个注意力头。"},
          .specification = {{"mark", "rect"},
                            {"encoding",
                             {{"x", titled(field("head", "ordinal"), "head", "头")},
                              {"y", titled(field("layer", "ordinal"), "layer", "层")},
                              {"color", titled(field("share", "quantitative"), "share", "占比")}}}},
          .data = FigureData{{{"head", head}, {"layer", layer}, {"share", value}}}};
}

Figure product_map() {
  MatrixData matrix{.rows = 512,
                    .columns = 384,
                    .values = {},
                    .row_label = {"position", "位置"},
                    .column_label = {"dimension", "维度"},
                    .value_label = {"value", "数值"},
                    .low = -1,
                    .high = 0.8,
                    .scale = MatrixData::Scale::diverging};
  for (size_t row = 0; row < matrix.rows; ++row) {
    for (size_t column = 0; column < matrix.columns; ++column) {
      matrix.values.push_back(std::sin(static_cast<float>(row * (column + 1)) * 0.0005F) +
                              0.001F * static_cast<float>(column));
    }
  }
  matrix.values[5 * 384 + 7] = kMissing;
  return {.name = "position-table",
          .title = {"The position table, 512 × 384", "位置表，512 × 384"},
          .caption = {"Rows are positions, columns are dimensions.", "行是位置，列是维度。"},
          .specification = {},
          .data = std::move(matrix)};
}

Figure ternary_map() {
  MatrixData matrix{.rows = 64,
                    .columns = 96,
                    .values = {},
                    .row_label = {"position", "位置"},
                    .column_label = {"component", "成分"},
                    .value_label = {"score", "得分"},
                    .low = -0.3,
                    .high = 0.3,
                    .scale = MatrixData::Scale::ternary};
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < 96; ++column) {
      matrix.values.push_back(std::sin(static_cast<float>(row * column) * 0.01F));
    }
  }
  return {.name = "ternary",
          .title = {"A ternary map", "三值图"},
          .caption = {"Clearly below zero, about zero, clearly above.", "明显小于零、约为零、明显大于零。"},
          .specification = {},
          .data = std::move(matrix)};
}

Figure facets() {
  std::vector<double> distance, value;
  std::vector<std::string> layer;
  for (const char* name : {"layer 1", "layer 2", "layer 3"}) {
    for (int d = -20; d <= 20; ++d) {
      distance.push_back(d);
      value.push_back(std::exp(-std::abs(d) / (3.0 + static_cast<double>(layer.size()) / 20)));
      layer.emplace_back(name);
    }
  }
  const Json inner{{"width", {{"of_width", 1}, {"less", 70}}},
                   {"height", 110},
                   {"mark", {{"type", "line"}, {"point", true}}},
                   {"encoding",
                    {{"x", titled(field("distance", "quantitative"), "distance", "距离")},
                     {"y", titled(field("attention", "quantitative"), "attention", "注意力")}}}};
  return {.name = "attention-by-distance",
          .title = {"Attention by distance", "注意力随距离的变化"},
          .caption = {"One panel a layer.", "每层一幅。"},
          .specification = {{"facet",
                             {{"row",
                               {{"field", "layer"},
                                {"title", nullptr},
                                {"type", "nominal"},
                                {"header", {{"labelOrient", "top"}, {"labelAnchor", "start"}}}}}}},
                            {"spec", inner}},
          .data = FigureData{{{"distance", distance}, {"attention", value}, {"layer", layer}}}};
}

Figure side_by_side() {
  const Json panels{{"panels_of", 230}, {"at_most", 3}};
  const auto panel = [&](const char* en, const char* zh, const char* shown) {
    return Json{{"width", {{"of_width", 1}, {"beside", panels}, {"less", 75}}},
                {"height", 150},
                {"mark", "bar"},
                {"encoding",
                 {{"x", titled(field("layer", "ordinal"), "layer", "层")},
                  {"y", titled(field(shown, "quantitative"), en, zh)}}}};
  };
  return {.name = "heads-by-layer",
          .title = {"Three counts of each layer", "各层的三种计数"},
          .caption = {"Panels stand beside each other where there is room.", "宽度足够时各幅并排。"},
          .specification = {{"columns", panels},
                            {"concat",
                             {panel("heads", "头数", "heads"), panel("weights", "权重数", "weights"),
                              panel("milliseconds", "毫秒", "milliseconds")}}},
          .data = FigureData{{{"layer", std::vector<double>{1, 2, 3}},
                              {"heads", std::vector<double>{12, 11, 9}},
                              {"weights", std::vector<double>{1.7e6, 1.6e6, 1.2e6}},
                              {"milliseconds", std::vector<double>{0.8, 0.7, 0.5}}}}};
}

Figure long_names() {
  return {.name = "models",
          .title = {"How much each way of adding loses", "各种相加方式的损失"},
          .caption = {"Bars to the right lose more.", "越靠右损失越大。"},
          .specification = {{"height", {{"step", 26}}},
                            {"mark", "bar"},
                            {"encoding",
                             {{"y", {{"field", "way"}, {"type", "nominal"}, {"title", nullptr}, {"sort", nullptr}}},
                              {"x", titled(field("loss", "quantitative"), "excess loss, nats per token",
                                           "超额损失（nat/词元）")},
                              {"color", {{"field", "kind"}, {"type", "nominal"}, {"title", nullptr}}}}}},
          .data = FigureData{{{"way", std::vector<std::string>{"sum", "weighted sum, one weight for each part", "gated",
                                                               "concatenated and projected to the same width"}},
                              {"kind", std::vector<LocalizedText>{{"as in BERT", "与 BERT 相同"},
                                                                  {"trained control", "训练的对照"},
                                                                  {"trained control", "训练的对照"},
                                                                  {"trained control", "训练的对照"}}},
                              {"loss", std::vector<double>{0.012, 0.0117, 0.0131, 0.009}}}}};
}

}  // namespace summand::lab::sample
