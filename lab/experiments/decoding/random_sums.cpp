#include "lab/experiments/decoding/random_sums.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/experiments/decoding/disturbed_sums.hpp"
#include "lab/probing/sum_decoder.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace decoding {
namespace {

using Eigen::Index;

constexpr size_t kCapacityTokens = 2000;
constexpr size_t kCapacityPositions = 128;
constexpr size_t kCapacitySegments = 2;
constexpr double kTokenNorm = 1.4;
constexpr double kPositionNorm = 0.5;
constexpr double kSegmentNorm = 0.2;

constexpr NumberName kRandomTables{"decoding", "random_tables"};

/// A line for every disturbance but rounding.
std::vector<chart::Series> series_of_noise() {
  const std::array<chart::Look, 5> looks{
      chart::Look{.colour = "@blue", .width = 3}, chart::Look{.colour = "@sky", .dash = {8, 3}},
      chart::Look{.colour = "@green", .dash = {4, 2}}, chart::Look{.colour = "@orange", .dash = {2, 2}},
      chart::Look{.colour = "@red", .dash = {6, 3, 2, 3}}};
  std::vector<chart::Series> series;
  for (const auto& one : disturbances()) {
    if (!one.bf16) series.push_back({one.words, looks.at(series.size())});
  }
  return series;
}

}  // namespace
}  // namespace decoding

std::vector<LocalizedText> words_of_seen() {
  return {localize("decoding.seen.sum"), localize("decoding.seen.normalised")};
}

Figure capacity_figure(size_t count, const Conditions& conditions, Numbers& numbers) {
  using namespace chart;
  using namespace decoding;
  const auto text = [](const char* of_what) {
    return localize(std::string("decoding.figures.decoding-capacity.") + of_what,
                    {{"thousand_tokens", kCapacityTokens / 1000},
                     {"positions", kCapacityPositions},
                     {"segments", kCapacitySegments},
                     {"token_norm", kTokenNorm},
                     {"position_norm", kPositionNorm},
                     {"segment_norm", kSegmentNorm}});
  };
  const auto seen_in = words_of_seen();
  std::vector<double> width_column;
  std::vector<double> rate_column;
  std::vector<LocalizedText> noise;
  std::vector<LocalizedText> where;
  for (const size_t width : {3, 4, 5, 8, 16, 64}) {
    RandomStream stream(conditions.seed, fmt::format("decoding: capacity {}", width));
    const auto table = [&](size_t rows, double norm) -> Table {
      return norm / std::sqrt(static_cast<double>(width)) * white_noise({rows, width}, stream);
    };
    const Table tokens = table(kCapacityTokens, kTokenNorm);
    const Table positions = table(kCapacityPositions, kPositionNorm);
    const Table segments = table(kCapacitySegments, kSegmentNorm);
    DecodedItems of{.items = std::vector<SumItem>(count), .noisy = count};
    for (auto& item : of.items) {
      item.token = static_cast<Index>(stream.below(kCapacityTokens));
      item.position = static_cast<Index>(stream.below(kCapacityPositions));
      item.segment = static_cast<Index>(stream.below(kCapacitySegments));
    }
    const SumDecoder decoder(tokens, positions, segments);
    for (const auto seen : {Seen::sum, Seen::normalised}) {
      const Decoding decoding(decoder, of, seen, nullptr, conditions);
      for (size_t k = 0; k < disturbances().size(); ++k) {
        if (disturbances()[k].bf16) continue;
        width_column.push_back(static_cast<double>(width));
        rate_column.push_back(decoding.rate(k));
        noise.push_back(disturbances()[k].words);
        where.push_back(seen_in[seen == Seen::sum ? 0 : 1]);
      }
      if (seen == Seen::sum && (width == 4 || width == 16)) {
        const Table equal = positions.colwise().mean().replicate(positions.rows(), 1);
        const Decoding null({tokens, equal, segments}, of, seen, nullptr, conditions);
        const auto& noisy = disturbances()[kNoise10];
        numbers.add(
            NumberBuilder(kRandomTables, fmt::format("{}_{}", width, noisy.name), decoding.rate(kNoise10),
                          {{"width", width}, {"percent", kNoisePercents[kNoise10 - kFirstNoise]}, {"count", count}})
                .interval(decoding.bounds(kNoise10))
                .null(null.rate(kNoise10), localize("decoding.beside.equal_positions"), null.bounds(kNoise10))
                .control(decoding.rate(kUndisturbed), localize("decoding.beside.no_noise"),
                         decoding.bounds(kUndisturbed)));
      }
    }
  }
  return {.name = "decoding-capacity",
          .title = text("title"),
          .caption = text("caption"),
          .specification =
              facets(name("where", text("where")), seen_in,
                     mark({{"type", "line"}, {"point", true}},
                          of_lines({{"x", logarithmic(number("width", text("width"), "d"), {4, 8, 16, 32, 64})},
                                    {"y", scaled(number("rate", text("rate")), {{"domain", {0, 1}}})}},
                                   "noise", text("noise"), series_of_noise())),
                     {.least = 300, .most = 2, .axis = 66, .height = 240}),
          .data = FigureData{{{"width", width_column}, {"rate", rate_column}, {"noise", noise}, {"where", where}}}};
}

}  // namespace summand::lab
