#include "lab/experiments/kernel/kernel_figures.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "lab/core/localize.hpp"
#include "lab/experiments/kernel/kernels.hpp"
#include "lab/nulls/named_tables.hpp"

namespace summand::lab::kernel {

namespace {

/// A text of a figure: "kernel-sum.title".
LocalizedText figure_text(const std::string& path, const FormatArgs& args = {}) {
  return localize("kernel.figures." + path, args);
}

enum class Sides { right, both };

Figure kernel_figure(const std::string& file, Sides sides, const std::vector<KernelLine>& lines) {
  using namespace chart;
  std::vector<double> distance;
  std::vector<double> value;
  std::vector<LocalizedText> of;
  std::vector<Series> series;
  for (const auto& [one, kernel] : lines) {
    series.push_back(one);
    for (Eigen::Index x = sides == Sides::both ? 1 - kernel.size() : 0; x < kernel.size(); ++x) {
      distance.push_back(static_cast<double>(x));
      value.push_back(kernel(std::abs(x)));
      of.push_back(one.words);
    }
  }
  return {.name = file,
          .title = figure_text(file + ".title"),
          .caption = figure_text(file + ".caption", {{"crossings", LocalizedText{}}}),
          .specification = layers(
              {rule("y", 0), mark({{"type", "line"}}, of_lines({{"x", whole("distance", figure_text("distance"))},
                                                                {"y", number("value", figure_text("ratio"), ".3f")}},
                                                               "of", figure_text("choice_of_theta"), series))}),
          .data = FigureData{{{"distance", distance}, {"value", value}, {"of", of}}}};
}

/// Which curves fall below zero, and where each first does.
LocalizedText words_of_crossings(const std::vector<KernelLine>& lines) {
  LocalizedText each;
  bool all = true;
  for (const auto& [one, kernel] : lines) {
    const auto below = std::ranges::find_if(kernel, [](double value) { return value < 0; });
    if (below == kernel.end()) {
      all = false;
      continue;
    }
    const bool is_first = each.en.empty();
    each = figure_text(is_first ? "kernel-plotted.crossing" : "kernel-plotted.and_crossing",
                       {{"before", each}, {"of", one.words}, {"distance", below - kernel.begin()}});
  }
  if (each.en.empty()) return {};
  return figure_text(all ? "kernel-plotted.all_cross" : "kernel-plotted.crossings", {{"each", each}});
}

}  // namespace

Figure plotted_figure(const std::vector<KernelLine>& choices) {
  Figure figure = kernel_figure("kernel-plotted", Sides::both, choices);
  figure.caption = figure_text("kernel-plotted.caption", {{"crossings", words_of_crossings(choices)}});
  return figure;
}

Figure sum_figure(double base, Shape shape, const Vector& own) {
  const auto frequency = exponential_frequency(base);
  const Vector sum = sum_kernel(frequency, shape.columns, shape.rows);
  const auto series = [](const std::string& name, chart::Look look) {
    return chart::Series{figure_text("kernel-sum." + name), std::move(look)};
  };
  return kernel_figure(
      "kernel-sum", Sides::right,
      {{series("sum", {.colour = "@orange"}), sum},
       {series("envelope", {.colour = "@red", .dash = {2, 3}}), envelope(sum)},
       {series("integral", {.colour = "@green", .dash = {8, 3}}), integral_kernel(frequency, shape.rows)},
       {series("logarithm", {.colour = "@purple", .dash = {4, 4}}), logarithmic_kernel(base, shape.rows)},
       {series_of_table(), own}});
}

}  // namespace summand::lab::kernel
