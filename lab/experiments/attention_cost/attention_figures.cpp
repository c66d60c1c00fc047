#include "lab/experiments/attention_cost/attention_figures.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/charts.hpp"
#include "lab/core/half_away_from_zero.hpp"

namespace summand::lab {

namespace {

/// Few ticks, every one with its number: Vega thins out a logarithmic axis by its count of ticks.
chart::Json with_all_ticks(chart::Json channel, std::vector<double> ticks) {
  channel = chart::logarithmic(std::move(channel), std::move(ticks));
  channel["axis"].update({{"labelOverlap", false}, {"tickCount", 100}});
  return channel;
}

}  // namespace

LayerOperations layer_operations(const model::Config& config) {
  return {static_cast<double>(config.hidden_size), static_cast<double>(config.intermediate_size)};
}

AttentionInput input_of(const AttentionSize& size, const Conditions& conditions) {
  RandomStream stream(conditions.seed, fmt::format("attention cost: {} {}", size.length, size.width));
  return AttentionInput::drawn(size, stream);
}

AttentionCounts counts_of(const AttentionSize& size, HeadLayout layout, const Conditions& conditions) {
  return count_attention(input_of(size, conditions), layout).counts;
}

Figure operations_figure(const model::Config& config) {
  using namespace chart;
  const auto text = [](const char* of_what) {
    return localize(std::string("attention_cost.figures.attention-operations.") + of_what);
  };
  const std::vector<Series> series{{text("own"), {.colour = "@blue", .width = 2.5}},
                                   {text("projections"), {.colour = "@orange", .dash = {6, 3}}},
                                   {text("feed_forward"), {.colour = "@green", .dash = {2, 2}}}};
  const LayerOperations own = layer_operations(config);
  std::vector<double> length;
  std::vector<double> operations;
  std::vector<LocalizedText> part;
  const double last = 2 * (2 * own.width + own.inner);
  for (size_t i = 0; i < series.size(); ++i) {
    for (double n = kShortText; n <= last; n *= std::sqrt(2)) {
      const double values[] = {own.own(n), own.projections(n), own.feed_forward(n)};
      length.push_back(std::round(n));
      operations.push_back(values[i] / 1e6);
      part.push_back(series[i].words);
    }
  }
  Json lines =
      mark({{"type", "line"}},
           of_lines({{"x", logarithmic(number("length", text("length"), "d"), {16, 64, 256, 1024, 4096, 16384})},
                     {"y", logarithmic(number("operations", text("operations")), {0.01, 1, 100, 10000, 1000000})}},
                    "part", text("part"), series));
  lines["encoding"]["color"]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  lines["encoding"]["strokeDash"]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  lines["encoding"]["strokeWidth"]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  const auto longest = static_cast<double>(config.max_position_embeddings);
  return {.name = "attention-operations",
          .title = text("title"),
          .caption = text("caption"),
          .specification = layers({std::move(lines), rule("x", longest), rule_label("x", longest, text("longest"), 4)}),
          .data = FigureData{{{"length", length}, {"part", part}, {"operations", operations}}}};
}

Figure times_figure(const AttentionTimes& times) {
  using namespace chart;
  const auto text = [](const char* of_what) {
    return localize(std::string("attention_cost.figures.attention-times.") + of_what);
  };
  const std::array<Look, 3> looks{Look{.colour = "@purple", .width = 2.5}, Look{.colour = "@blue", .dash = {6, 3}},
                                  Look{.colour = "@orange", .dash = {2, 2}}};
  std::vector<Series> series;
  std::vector<double> length;
  std::vector<double> milliseconds;
  std::vector<LocalizedText> part;
  for (size_t i = 0; i < times.by_length.size(); ++i) {
    const auto& curve = times.by_length[i];
    series.push_back({curve.words, looks[i]});
    const auto medians = curve.medians();
    for (size_t k = 0; k < medians.size(); ++k) {
      length.push_back(curve.sizes[k]);
      milliseconds.push_back(1000 * medians[k]);
      part.push_back(curve.words);
    }
  }
  Json lines = mark({{"type", "line"}, {"point", true}},
                    of_lines({{"x", logarithmic(number("length", text("length"), "d"), {16, 32, 64, 128, 256, 512})},
                              {"y", logarithmic(number("milliseconds", text("milliseconds")),
                                                {0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000})}},
                             "part", text("part"), series));
  for (const char* channel : {"color", "strokeDash", "strokeWidth"}) {
    lines["encoding"][channel]["legend"].update({{"columns", 1}, {"labelLimit", 320}});
  }
  return {.name = "attention-times",
          .title = text("title"),
          .caption = text("caption"),
          .specification = std::move(lines),
          .data = FigureData{{{"length", length}, {"part", part}, {"milliseconds", milliseconds}}}};
}

Figure heads_figure(size_t width, const AttentionTimes& times, const Conditions& conditions) {
  using namespace chart;
  const auto text = [&](const char* of_what) {
    return localize(std::string("attention_cost.figures.attention-heads.") + of_what, {{"tokens", times.heads_length}});
  };
  const std::vector<Series> series{{text("products"), {.colour = "@blue", .width = 2.5}},
                                   {text("softmax"), {.colour = "@orange", .dash = {6, 3}}},
                                   {text("said"), {.colour = "@faint", .dash = {2, 3}}}};
  std::vector<double> heads;
  std::vector<double> counted;
  std::vector<double> milliseconds;
  std::vector<LocalizedText> part;
  const auto counts = head_counts(width);
  const double scale = std::pow(static_cast<double>(times.heads_length) / kShortText, 2) / 1e6;
  for (size_t i = 0; i < series.size(); ++i) {
    for (size_t k = 0; k < counts.size(); ++k) {
      const auto one =
          counts_of({.length = kShortText, .width = width, .heads = counts[k]}, HeadLayout::reshaped, conditions);
      const auto m = static_cast<double>(counts[k]);
      const auto products = static_cast<double>(one.products());
      const double values[] = {products, static_cast<double>(one.exponentials), products * m};
      heads.push_back(m);
      counted.push_back(values[i] * scale);
      milliseconds.push_back(i < 2 ? 1000 * times.by_heads[i].medians()[k] : std::numeric_limits<double>::quiet_NaN());
      part.push_back(series[i].words);
    }
  }
  const auto over_heads = [&](Json y) {
    return mark(
        {{"type", "line"}, {"point", true}},
        of_lines({{"x", with_all_ticks(number("heads", text("heads"), "d"), {1, 4, 16, 64})}, {"y", std::move(y)}},
                 "part", text("part"), series));
  };
  return {.name = "attention-heads",
          .title = text("title"),
          .caption = text("caption"),
          .specification = side_by_side(
              {over_heads(with_all_ticks(number("counted", text("counted")), {0.01, 0.1, 1, 10, 100, 1000, 10000})),
               over_heads(with_all_ticks(number("milliseconds", text("milliseconds")), {0.01, 0.1, 1, 10, 100}))},
              {.least = 300, .most = 2, .axis = 80, .height = 210}),
          .data = FigureData{{{"heads", heads}, {"part", part}, {"counted", counted}, {"milliseconds", milliseconds}}}};
}

LocalizedText exponents_in_words(const AttentionTimes& times, uint64_t seed) {
  const auto said = [&](const TimedCurve& curve) {
    const auto exponent = exponent_of(curve, seed, curve.name);
    return fmt::format("{:.2f} [{:.2f}, {:.2f}]", HalfAwayFromZero{exponent.value},
                       HalfAwayFromZero{exponent.interval.low}, HalfAwayFromZero{exponent.interval.high});
  };
  LocalizedText over_length;
  if (times.by_length.front().sizes.size() > 1) {
    over_length = localize("attention_cost.remarks.times_over_length", {{"model", said(times.by_length[0])},
                                                                        {"products", said(times.by_length[1])},
                                                                        {"softmax", said(times.by_length[2])}});
  }
  LocalizedText over_heads;
  if (times.by_heads.front().sizes.size() > 1) {
    over_heads = localize("attention_cost.remarks.times_over_heads",
                          {{"products", said(times.by_heads[0])}, {"softmax", said(times.by_heads[1])}});
  }
  return localize("attention_cost.remarks.times", {{"over_length", over_length}, {"over_heads", over_heads}});
}

}  // namespace summand::lab
