#include "lab/experiments/tied_output/output_figures.hpp"

#include <string>
#include <utility>

#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"
#include "lab/probing/composition_costs.hpp"

namespace summand::lab {

OutputCost output_cost(const model::Config& config) {
  const auto width = static_cast<double>(config.hidden_size);
  const auto layers = static_cast<double>(config.num_hidden_layers);
  return {.vocabulary = static_cast<double>(config.vocab_size),
          .width = width,
          .encoder = operations_of_layers(config) + layers * 4 * kCostLength * width};
}

Figure rates_figure(const OutputRates& rates) {
  using namespace chart;
  const auto text = [](const char* name) { return localize(std::string("tied_output.figures.nearest-rows.") + name); };
  const std::vector<Series> series{{text("checkpoint"), {.colour = "@blue"}},
                                   {text("spread"), {.colour = "@orange", .shape = "square"}},
                                   {text("equal"), {.colour = "@green", .shape = "triangle-up"}}};
  std::vector<LocalizedText> measure;
  std::vector<LocalizedText> rows;
  std::vector<double> share;
  for (const auto& rate : rates) {
    const double values[] = {rate.own, rate.null, rate.control};
    for (size_t i = 0; i < series.size(); ++i) {
      measure.push_back(rate.words);
      rows.push_back(series[i].words);
      share.push_back(100 * values[i]);
    }
  }
  Json points = mark({{"type", "point"}, {"size", 90}, {"filled", true}},
                     of_points({{"y", listed_points("measure", text("measure"))},
                                {"x", scaled(number("share", text("share")), {{"domain", {0, 100}}})}},
                               "rows", text("rows"), series));
  return {.name = "nearest-rows",
          .title = text("title"),
          .caption = text("caption"),
          .specification = with_height(std::move(points), height_of(rates.size()) + 30),
          .data = FigureData{{{"measure", measure}, {"rows", rows}, {"share", share}}}};
}

Figure cost_figure(const OutputCost& cost) {
  using namespace chart;
  const auto text = [](const char* name) {
    return localize(std::string("tied_output.figures.output-cost.") + name, {{"length", kCostLength}});
  };
  const std::vector<Series> series{{text("output"), {.colour = "@blue", .width = 2.5}},
                                   {text("layers"), {.colour = "@orange", .dash = {6, 3}}}};
  std::vector<double> vocabulary;
  std::vector<double> operations;
  std::vector<LocalizedText> part;
  for (size_t i = 0; i < series.size(); ++i) {
    for (double words = 1000; words <= 300000; words *= 1.25) {
      vocabulary.push_back(words);
      operations.push_back((i == 0 ? cost.output(words) : cost.encoder) / 1e6);
      part.push_back(series[i].words);
    }
  }
  Json lines = mark({{"type", "line"}},
                    of_lines({{"x", logarithmic(number("vocabulary", text("vocabulary"), ",d"), {1000, 10000, 100000})},
                              {"y", logarithmic(number("operations", text("operations")), {0.1, 1, 10, 100, 1000})}},
                             "part", text("part"), series));
  return {.name = "output-cost",
          .title = text("title"),
          .caption = text("caption"),
          .specification = layers(
              {std::move(lines), rule("x", cost.vocabulary), rule_label("x", cost.vocabulary, text("checkpoint"), 4)}),
          .data = FigureData{{{"vocabulary", vocabulary}, {"part", part}, {"operations", operations}}}};
}

}  // namespace summand::lab
