#include "lab/experiments/oscillation/wave_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lab/experiments/oscillation/waves.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/spectrum.hpp"

namespace summand::lab::oscillation {

namespace {

using Eigen::Index;

/// "3 · 8.1 % · gap .12": how much of the variance, and the eigengap to the nearer neighbour over its own share.
LocalizedText words_of_component(const Vector& shares, Index c) {
  double gap = std::numeric_limits<double>::infinity();
  if (c > 0) gap = std::min(gap, (shares(c - 1) - shares(c)) / shares(c));
  if (c + 1 < shares.size()) gap = std::min(gap, (shares(c) - shares(c + 1)) / shares(c));
  return localize("oscillation.figures.oscillation-curves.of_component",
                  {{"number", c + 1}, {"percent", 100 * shares(c)}, {"gap", gap}});
}

constexpr double kSolidTurns = 40;    // as many as would fill a panel
constexpr double kDrawnTurns = 10.5;  // of a component that has more

/// The positions of a component that are drawn: all, or those about the middle that hold a few of its many cycles.
struct Drawn {
  double first = 0;
  double last = 0;
  bool closer = false;
};

Drawn drawn_of(double turns, const PlacedRows& rows) {
  const auto first = static_cast<double>(rows.at.front());
  const auto last = static_cast<double>(rows.at.back());
  if (turns <= kSolidTurns) return {.first = first, .last = last};
  const double half = std::ceil((last - first) * kDrawnTurns / turns / 2);
  const double middle = std::floor((first + last) / 2);
  return {.first = middle - half, .last = middle + half, .closer = true};
}

}  // namespace

Figure curves_figure(const PlacedRows& rows, size_t components, const FormatArgs& settings, const std::string& file) {
  using namespace chart;
  const auto text = [&](const char* name) {
    return localize(std::string("oscillation.figures.oscillation-curves.") + name, settings);
  };
  const Series score_series{text("score"), {.width = 1}};
  const Series sinusoid_series{text("sinusoid"), {.colour = "@orange", .width = 1}};
  const ComponentWaves waves(rows, components);
  const Vector shares = variance_shares(rows.rows);
  std::vector<double> position;
  std::vector<double> score;
  std::vector<double> sinusoid;
  std::vector<LocalizedText> component;
  std::vector<LocalizedText> order;
  bool any_closer = false;
  for (Index c = 0; c < waves.components(); ++c) {
    const Drawn drawn = drawn_of(waves.turns()(c), rows);
    order.push_back(words_of_component(shares, c));
    if (drawn.closer) {
      any_closer = true;
      order.back() = localize("oscillation.figures.oscillation-curves.closer",
                              {{"component", order.back()}, {"first", drawn.first}, {"last", drawn.last}});
    }
    for (Index i = 0; i < waves.scores().rows(); ++i) {
      const auto at = static_cast<double>(rows.at[static_cast<size_t>(i)]);
      if (at < drawn.first || at > drawn.last) continue;
      position.push_back(at);
      score.push_back(waves.scores()(i, c));
      sinusoid.push_back(waves.waves()(i, c));
      component.push_back(order.back());
    }
  }
  const Json x = whole("position", text("position"));
  const auto line = [&](const char* field, const Series& series) {
    Json y = number(field, series.words);
    y["axis"] = {{"title", nullptr}, {"tickCount", 3}, {"minExtent", 36}};
    Json colour{{"datum", words(series.words)}, {"type", "nominal"}};
    colour["legend"] = {{"title", nullptr}};
    colour["scale"] = {{"domain", {words(score_series.words), words(sinusoid_series.words)}},
                       {"range", {score_series.look.colour, sinusoid_series.look.colour}}};
    return mark({{"type", "line"}, {"strokeWidth", series.look.width}}, {{"x", x}, {"y", y}, {"color", colour}});
  };
  Json specification = facets(name("component", text("component")), order,
                              layers({line("score", score_series), line("sinusoid", sinusoid_series)}),
                              {.least = 290, .most = 3, .axis = 80, .height = 90});
  specification["resolve"] = {{"scale", {{"y", "independent"}}}};
  if (any_closer) specification["resolve"]["scale"]["x"] = "independent";
  return {
      .name = file,
      .title = localize("oscillation.figures." + file + ".title", settings),
      .caption = text("caption"),
      .specification = std::move(specification),
      .data = FigureData{{{"component", component}, {"position", position}, {"score", score}, {"sinusoid", sinusoid}}}};
}

Figure shares_figure(const std::vector<ComponentShares>& shares, const FormatArgs& settings) {
  using namespace chart;
  const auto text = [&](const char* name) {
    return localize(std::string("oscillation.figures.oscillation-r2.") + name, settings);
  };
  std::vector<double> component;
  std::vector<double> r2;
  std::vector<LocalizedText> of;
  std::vector<Series> series;
  for (const auto& one : shares) {
    series.push_back(one.of);
    for (size_t i = 0; i < one.shares.size(); ++i) {
      component.push_back(static_cast<double>(i + 1));
      r2.push_back(std::max(0.0, one.shares[i]));
      of.push_back(one.of.words);
    }
  }
  return {.name = "oscillation-r2",
          .title = text("title"),
          .caption = text("caption"),
          .specification = mark({{"type", "line"}, {"point", true}},
                                of_lines({{"x", whole("component", text("component"))},
                                          {"y", scaled(number("r2", text("r2")), {{"domain", {0, 1}}})}},
                                         "of", text("of"), series)),
          .data = FigureData{{{"component", component}, {"r2", r2}, {"of", of}}}};
}

Figure amplitude_figure(const Table& table, size_t most) {
  const auto text = [](const char* name) {
    return localize(std::string("oscillation.figures.oscillation-spectrum.") + name);
  };
  const auto components = principal_components(table, most);
  MatrixData matrix{.rows = static_cast<size_t>(components.scores.cols()),
                    .columns = static_cast<size_t>(table.rows() / 2),
                    .values = {},
                    .row_label = text("component"),
                    .column_label = text("cycles"),
                    .value_label = text("amplitude"),
                    .low = 0,
                    .high = 1,
                    .scale = MatrixData::Scale::sequential};
  for (Index c = 0; c < components.scores.cols(); ++c) {
    const Vector curve = components.scores.col(c);
    Vector amplitudes = amplitude_spectrum({curve.data(), static_cast<size_t>(curve.size())});
    amplitudes(0) = 0;
    amplitudes /= amplitudes.maxCoeff();
    for (size_t k = 0; k < matrix.columns; ++k) {
      matrix.values.push_back(static_cast<float>(amplitudes(static_cast<Index>(k))));
    }
  }
  return {.name = "oscillation-spectrum",
          .title = text("title"),
          .caption = text("caption"),
          .specification = {},
          .data = std::move(matrix)};
}

Figure heat_figure(const Table& table, size_t most) {
  const auto text = [](const char* name) {
    return localize(std::string("oscillation.figures.oscillation-heat-map.") + name);
  };
  const auto components = principal_components(table, most);
  MatrixData matrix{.rows = static_cast<size_t>(components.scores.cols()),
                    .columns = static_cast<size_t>(table.rows()),
                    .values = {},
                    .row_label = text("component"),
                    .column_label = text("position"),
                    .value_label = text("score"),
                    .low = -2.5,
                    .high = 2.5,
                    .scale = MatrixData::Scale::diverging};
  for (Index c = 0; c < components.scores.cols(); ++c) {
    const double scale = std::sqrt(components.variances(c));
    for (Index i = 0; i < table.rows(); ++i) {
      matrix.values.push_back(static_cast<float>(components.scores(i, c) / scale));
    }
  }
  return {.name = "oscillation-heat-map",
          .title = text("title"),
          .caption = text("caption"),
          .specification = {},
          .data = std::move(matrix)};
}

}  // namespace summand::lab::oscillation
