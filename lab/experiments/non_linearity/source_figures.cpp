#include "lab/experiments/non_linearity/source_figures.hpp"

#include <algorithm>
#include <utility>

#include "lab/core/charts.hpp"

namespace summand::lab {

Figure sources_figure(const std::vector<ReplacedSource>& shown) {
  using namespace chart;
  const std::vector<Series> series{
      {{"sentence vectors: 1 − cosine", "句向量：1 − 余弦"}, {.colour = "@blue"}},
      {{"last hidden states: relative error", "末层状态：相对误差"}, {.colour = "@orange", .shape = "square"}}};
  constexpr double kLeast = 1e-8;  // what is smaller is drawn there
  std::vector<Words> source;
  std::vector<Words> measure;
  std::vector<double> change;
  for (const auto& one : shown) {
    for (size_t i = 0; i < series.size(); ++i) {
      source.push_back(one.words);
      measure.push_back(series[i].words);
      change.push_back(std::max(kLeast, i == 0 ? one.change : one.states));
    }
  }
  Json points = mark(
      {{"type", "point"}, {"size", 90}, {"filled", true}},
      of_points(
          {{"y", listed_points("source", {"source", "来源"})},
           {"x", logarithmic(number("change", {"change (logarithmic)", "变化（对数）"}), {1e-8, 1e-6, 1e-4, 1e-2, 1})}},
          "measure", {"measure", "度量"}, series));
  for (const char* channel : {"color", "shape"}) {
    points["encoding"][channel]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  }
  return {
      .name = "non-linear-sources",
      .title = {"What changes when a source becomes affine", "一个来源变成仿射后改变多少"},
      .caption = {"Each replaced by its best affine fit in all layers. Do normalisations, which the document's list "
                  "leaves out, move as much as GELU and self-attention?",
                  "各来源在所有层换成最佳仿射拟合。文中没有列出的归一化，影响是否与 GELU、自注意力相当？"},
      .specification = with_height(std::move(points), height_of(shown.size()) + 30),
      .data = FigureData{{{"source", source}, {"measure", measure}, {"change", change}}}};
}

Figure layers_figure(const std::vector<AtLayer>& found) {
  using namespace chart;
  const std::array<Look, 4> looks{Look{.colour = "@blue", .width = 2.5}, Look{.colour = "@orange", .dash = {6, 3}},
                                  Look{.colour = "@green", .dash = {2, 2}},
                                  Look{.colour = "@purple", .dash = {8, 3, 2, 3}}};
  std::vector<Series> series;
  for (size_t i = 0; i < kByLayer.size(); ++i) series.push_back({words_of(kByLayer[i]), looks[i]});
  std::vector<double> layer;
  std::vector<double> change;
  std::vector<Words> source;
  for (const auto& one : found) {
    layer.push_back(static_cast<double>(one.layer + 1));
    change.push_back(std::max(1e-8, one.change));
    source.push_back(words_of(one.source));
  }
  Json lines = mark({{"type", "line"}, {"point", true}},
                    of_lines({{"x", whole("layer", {"layer", "层"})},
                              {"y", logarithmic(number("change", {"1 − cosine of sentence vectors (logarithmic)",
                                                                  "句向量的 1 − 余弦（对数）"}),
                                                {1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1})}},
                             "source", {"source", "来源"}, series));
  for (const char* channel : {"color", "strokeDash", "strokeWidth"}) {
    lines["encoding"][channel]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  }
  return {.name = "non-linear-layers",
          .title = {"The same, one layer at a time", "同上，每次只换一层"},
          .caption = {"Which layers can do without a source?", "哪些层可以不要某个来源？"},
          .specification = std::move(lines),
          .data = FigureData{{{"layer", layer}, {"source", source}, {"change", change}}}};
}

}  // namespace summand::lab
