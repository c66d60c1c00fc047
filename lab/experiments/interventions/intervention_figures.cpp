#include "lab/experiments/interventions/intervention_figures.hpp"

#include <algorithm>

#include "lab/core/charts.hpp"
#include "lab/probing/input_parts.hpp"

namespace summand::lab {

namespace {

constexpr double kLeastShown = 1e-6;  // of a logarithmic axis; what changes less stands there

const Words kChange{"change of sentence vectors, 1 − cosine", "句向量的变化，1 − 余弦"};
const Words kOneWord{"one word replaced", "换掉一个词"};

double shown(double value) {
  return std::max(value, kLeastShown);
}

}  // namespace

Figure doses_figure(const std::vector<DoseResponse>& doses, double one_word) {
  using namespace chart;
  std::vector<double> strength;
  std::vector<double> change;
  std::vector<double> low;
  std::vector<double> high;
  std::vector<Words> part;
  std::vector<Series> series;
  for (const auto& dose : doses) {
    const auto& one = series_of_parts()[static_cast<size_t>(dose.part)];
    if (std::ranges::find(part, one.words) == part.end()) series.push_back(one);
    strength.push_back(dose.strength);
    change.push_back(dose.vectors.value);
    low.push_back(dose.vectors.interval.low);
    high.push_back(dose.vectors.interval.high);
    part.push_back(one.words);
  }
  const Json x = number("strength", {"strength of the part's deviations", "该部分偏差的倍数"}, "g");
  Json of_part = coloured("part", {"part", "部分"}, series);
  // The lines' legend, which the band would make as faint as itself.
  of_part["legend"].update({{"symbolType", "stroke"}, {"symbolSize", 500}, {"symbolOpacity", 1}});
  Json band = mark({{"type", "area"}, {"opacity", 0.2}, {"tooltip", nullptr}},
                   {{"x", x}, {"y", number("low", kChange)}, {"color", of_part}});
  band["encoding"]["y2"] = {{"field", "high"}};
  Json lines = mark({{"type", "line"}, {"point", true}},
                    of_lines({{"x", x}, {"y", number("change", kChange)}}, "part", {"part", "部分"}, series));
  return {
      .name = "interventions-doses",
      .title = {"Weaker and stronger parts", "减弱与加强各部分"},
      .caption =
          {"Each table's deviations from its mean row times a factor: 0 leaves no information, 1 is the model "
           "itself. Bands: 95 % over texts; dashed: one word of each text replaced.",
           "各表偏离均值行的部分乘以系数：0 不留信息，1 即原模型。色带：文本间的 95%；虚线：每个文本换掉一个词。"},
      .specification = layers({std::move(band), std::move(lines), rule("y", one_word)}),
      .data = FigureData{{{"strength", strength}, {"change", change}, {"low", low}, {"high", high}, {"part", part}}}};
}

Figure responses_figure(const std::vector<Response>& responses, double one_word) {
  using namespace chart;
  std::vector<Words> what;
  std::vector<double> change;
  std::vector<double> low;
  std::vector<double> high;
  for (const auto& response : responses) {
    what.push_back(response.words);
    change.push_back(shown(response.vectors.value));
    low.push_back(shown(response.vectors.interval.low));
    high.push_back(shown(response.vectors.interval.high));
  }
  const auto axis_of = [&](const char* field) {
    Json x = logarithmic(number(field, kChange), {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1});
    x["axis"]["format"] = "~g";
    x["scale"]["domain"] = {kLeastShown, std::max(1.0, *std::ranges::max_element(high))};
    return x;
  };
  Json y = listed_points("what", {"intervention", "干预"});
  y["axis"]["grid"] = true;
  Json bars = mark({{"type", "rule"}, {"strokeWidth", 2}, {"color", "@blue"}}, {{"x", axis_of("low")}, {"y", y}});
  bars["encoding"]["x2"] = {{"field", "high"}};
  Json points = mark({{"type", "point"}, {"size", 70}, {"filled", true}, {"color", "@blue"}},
                     {{"x", axis_of("change")}, {"y", y}});
  return {.name = "interventions-responses",
          .title = {"What each intervention changes", "每种干预改变多少"},
          .caption =
              {"Means over pairs of texts with 95 % intervals; each tick is ten times the one before, and what "
               "changes less than a millionth stands at the left end. Right of the dashed line it changes more "
               "than one replaced word.",
               "文本对上的均值与 95% 区间；每格为前一格的十倍，变化不足百万分之一者置于最左。虚线右侧：变化大于换掉一"
               "个词。"},
          .specification = with_height(
              layers({rule("x", one_word), rule_label("x", one_word, kOneWord, 2), std::move(bars), std::move(points)}),
              height_of(what.size())),
          .data = FigureData{{{"what", what}, {"change", change}, {"low", low}, {"high", high}}}};
}

Figure layers_figure(const std::vector<Response>& responses) {
  using namespace chart;
  const std::vector<Look> looks{
      {.colour = "@blue", .width = 2.5},     {.colour = "@sky", .dash = {6, 3}},
      {.colour = "@purple", .dash = {2, 2}}, {.colour = "@green", .dash = {8, 3, 2, 3}, .width = 2.5},
      {.colour = "@orange", .dash = {4, 2}}, {.colour = "@faint", .dash = {1, 0}, .width = 2.5}};
  std::vector<double> layer;
  std::vector<double> change;
  std::vector<Words> what;
  std::vector<Series> series;
  for (const auto& response : responses) {
    if (response.change.states.empty() || series.size() == looks.size()) continue;
    series.push_back({response.words, looks[series.size()]});
    for (size_t at = 0; at < response.change.states.size(); ++at) {
      layer.push_back(static_cast<double>(at));
      change.push_back(response.change.states[at]);
      what.push_back(response.words);
    }
  }
  return {
      .name = "interventions-layers",
      .title = {"How the change goes through the layers", "变化怎样穿过各层"},
      .caption = {"1 − linear CKA of the tokens' hidden states with the undisturbed ones; layer 0 is the normalised "
                  "sum. Does a change fade on the way, or grow?",
                  "词元隐状态与未干预时的 1 − 线性 CKA；第 0 层为归一化之后的和。变化沿途减弱还是增强？"},
      .specification = layers(
          {mark({{"type", "line"}, {"point", true}},
                of_lines({{"x", whole("layer", {"layer", "层"})}, {"y", number("change", {"1 − CKA", "1 − CKA"})}},
                         "what", {"intervention", "干预"}, series))}),
      .data = FigureData{{{"layer", layer}, {"change", change}, {"what", what}}}};
}

}  // namespace summand::lab
