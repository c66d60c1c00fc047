// 3.1: can token, position and segment be read back from their sum, and is a concatenation anything else?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/readings.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/decoding/disturbed_sums.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/probing/fold.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/sum_decoder.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace decoding {
namespace {

using Eigen::Index;

constexpr double kAllDecoded = 0.99;  // of the vectors: what counts as nothing lost
constexpr double kLost = 0.5;         // under it, half as the rule has it, much is lost
constexpr double kWrongFold = 100 * kFoldRounding;
constexpr Index kBesideTokens = 4096;  // of null and control: their tables need no whole vocabulary
constexpr int kLowPercent = 10;        // of the margins: a quantile beside the least and the median

// Of the random tables.
constexpr size_t kCapacityTokens = 2000;
constexpr size_t kCapacityPositions = 128;
constexpr size_t kCapacitySegments = 2;
constexpr double kTokenNorm = 1.4;
constexpr double kPositionNorm = 0.5;
constexpr double kSegmentNorm = 0.2;

/// The numbers of one search on the checkpoint: a family over disturbances, one over quantiles of the margins.
struct Searched {
  NumberName rates;
  NumberName margins;
  NumberName uniform;

  [[nodiscard]] std::string rate(size_t disturbance) const { return rates.of(disturbances()[disturbance].name); }
};
constexpr Searched kSum{{"decoding", "sum"}, {"decoding", "sum_margin"}, {"decoding", "uniform_sum"}};
constexpr Searched kNormalised{
    {"decoding", "normalised"}, {"decoding", "normalised_margin"}, {"decoding", "uniform_normalised"}};
constexpr NumberName kFold{"decoding", "fold"};
constexpr NumberName kRandomTables{"decoding", "random_tables"};

/// How many vectors are decoded.
struct Size {
  size_t corpus = 300;
  size_t beside = 100;
  size_t random = 200;  ///< of random tables
};
constexpr Size kFull{};
constexpr Size kQuick{.corpus = 24, .beside = 20, .random = 50};

const Size& size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
Fills settings() {
  return {{"least_noise", kNoisePercents.front()},
          {"most_noise", kNoisePercents.back()},
          {"found_percent", 100 * kAllDecoded},
          {"fold_e4", 1e4 * kFoldRounding}};
}

/// The tables of a sum.
struct SumTables {
  Table tokens, positions, segments;
};

/// The table's mean row, and around it normal rows that are together as long as its own; of norm 1 where its rows are
/// all equal.
Table gaussian_like(const Table& like, RandomStream& stream) {
  const auto rows = static_cast<size_t>(like.rows());
  const Table noise = white_noise({rows, static_cast<size_t>(like.cols())}, stream);
  const double own = centred(like).norm();
  const double scale = (own > 0 ? own : std::sqrt(static_cast<double>(rows))) / noise.norm();
  return (scale * noise).rowwise() + like.colwise().mean();
}

SumTables with_equal_positions(SumTables tables) {
  tables.positions.rowwise() = tables.positions.colwise().mean().eval();
  return tables;
}

/// Seen through one number: one direction, or three, of which the normalisation leaves an angle.
SumTables through_one_number(const SumTables& tables, Seen seen, RandomStream& stream) {
  const size_t width = seen == Seen::sum ? 1 : 3;
  const Table directions = white_noise({static_cast<size_t>(tables.tokens.cols()), width}, stream);
  return {tables.tokens * directions, tables.positions * directions, tables.segments * directions};
}

/// Sums of rows drawn uniformly, decoded under every disturbance.
Decoding decoding_beside(const SumTables& tables, Seen seen, const Conditions& conditions) {
  const SumDecoder decoder(tables.tokens, tables.positions, tables.segments);
  RandomStream stream(conditions.seed, "decoding: beside, rows");
  const auto row = [&](const Table& table) {
    return static_cast<Index>(stream.below(static_cast<size_t>(table.rows())));
  };
  std::vector<SumItem> items(size_of(conditions).beside);
  for (auto& item : items) item = {row(tables.tokens), row(tables.positions), row(tables.segments)};
  return {decoder, std::move(items), seen, nullptr, conditions};
}

/// What stands beside one search on the checkpoint.
struct DecodingsBeside {
  Decoding null, control;
  double one_number = 0;  ///< what is found in bf16 when the same tables are seen through one number
  double uniform = 0;     ///< what is found of combinations drawn uniformly; not in a quick run
};

/// Both searches on the checkpoint, and what stands beside them.
struct Rates {
  Decoding sum, normalised;
  DecodingsBeside beside_sum, beside_normalised;
};

DecodingsBeside decodings_beside(const Subject& subject, Seen seen, const Conditions& conditions) {
  const SumTables own{subject.tokens.topRows(std::min(kBesideTokens, subject.tokens.rows())), subject.positions,
                      subject.segments};
  RandomStream stream(conditions.seed, "decoding: beside");
  const SumTables gaussian{gaussian_like(own.tokens, stream), gaussian_like(own.positions, stream),
                           gaussian_like(own.segments, stream)};
  return {.null = decoding_beside(with_equal_positions(own), seen, conditions),
          .control = decoding_beside(gaussian, seen, conditions),
          .one_number = decoding_beside(through_one_number(own, seen, stream), seen, conditions).rate(kBf16)};
}

Rates rates_of(const Subject& subject, const FirstNorm& norm, const Conditions& conditions) {
  const size_t count = size_of(conditions).corpus;
  RandomStream stream(conditions.seed, "decoding: corpus");
  const auto items = drawn_items(corpus_items(subject), count, stream);
  const SumDecoder decoder(subject.tokens, subject.positions, subject.segments);
  Rates rates{.sum = {decoder, items, Seen::sum, nullptr, conditions},
              .normalised = {decoder, items, Seen::normalised, &norm, conditions},
              .beside_sum = decodings_beside(subject, Seen::sum, conditions),
              .beside_normalised = decodings_beside(subject, Seen::normalised, conditions)};
  conditions.progress(0.7);
  if (!conditions.quick) {
    RandomStream uniform(conditions.seed, "decoding: uniform");
    const auto anywhere = uniform_items(subject, count, uniform);
    const auto rate = [&](Seen seen) {
      return exact_rate(decoder.decode(decoder.seen(anywhere, seen), anywhere, seen, threads_of(conditions)));
    };
    rates.beside_sum.uniform = rate(Seen::sum);
    rates.beside_normalised.uniform = rate(Seen::normalised);
  }
  return rates;
}

/// Every rate of a decoding, then the quantiles of its margins.
Readings readings_of(const Decoding& decoding, const Searched& searched) {
  Readings readings;
  for (size_t k = 0; k < disturbances().size(); ++k) {
    const auto& one = disturbances()[k];
    readings.push_back(reading(searched.rates, one.name, decoding.rate(k), {{"disturbance", one.words}}));
  }
  const auto margins = decoding.margins();
  const auto margin = [&](const std::string& which, double probability) {
    const Words words = wording("decoding.margins." + which, {{"percent", kLowPercent}});
    readings.push_back(reading(searched.margins, which, quantile(margins, probability), {{"which", words}}));
  };
  margin("least", 0);
  margin("p10", kLowPercent / 100.0);
  margin("median", 0.5);
  return readings;
}

/// Over the vectors of one disturbance.
Interval interval_of_rate(std::span<const Decoded> decoded, const std::string& name, const Conditions& conditions) {
  const auto rate = [&](std::span<const size_t> chosen) {
    size_t exact = 0;
    for (const size_t i : chosen) exact += decoded[i].exact ? 1 : 0;
    return static_cast<double>(exact) / static_cast<double>(chosen.size());
  };
  return bootstrap(decoded.size(), rate,
                   {.seed = conditions.seed,
                    .name = "decoding: bootstrap " + name,
                    .count = 1000,
                    .threads = threads_of(conditions)});
}

/// How many vectors stand beside, of what.
Words of_sums(const Decoding& decoding, const char* tables) {
  return wording("decoding.beside.sums", {{"count", decoding.of(kUndisturbed).size()},
                                          {"tables", wording(std::string("decoding.beside.") + tables)}});
}

void add_rates(const Decoding& own, const DecodingsBeside& beside, const Searched& searched,
               const Conditions& conditions, Numbers& numbers) {
  const Words of_null = of_sums(beside.null, "equal_positions");
  const Words of_control = of_sums(beside.control, "gaussian");
  auto rates = numbers_beside(readings_of(own, searched), {of_null, readings_of(beside.null, searched)},
                              {of_control, readings_of(beside.control, searched)});
  for (size_t k = 0; k < disturbances().size(); ++k) {
    rates[k].interval = interval_of_rate(own.of(k), rates[k].name, conditions);
  }
  rates[kBf16].null = Beside{.value = beside.one_number, .of = of_sums(beside.null, "one_number")};
  for (auto& number : rates) numbers.add(std::move(number));
  if (conditions.quick) return;
  numbers.add(Measured(searched.uniform, beside.uniform)
                  .null(beside.null.rate(kUndisturbed), of_null)
                  .control(beside.control.rate(kUndisturbed), of_control));
}

/// The sum as it is, and behind the normalisation.
std::vector<Words> seen_words() {
  return {wording("decoding.seen.sum"), wording("decoding.seen.normalised")};
}

Figure noise_figure(const Rates& rates) {
  using namespace chart;
  const auto text = [](const char* of_what) {
    return wording(std::string("decoding.figures.decoding-noise.") + of_what);
  };
  const auto& [token, position, segment] = series_of_parts();
  const Series all{text("all"), {.colour = "@ink", .shape = "diamond"}};
  const std::vector<Series> series{all, token, position, segment};
  std::vector<Words> disturbance;
  std::vector<double> rate;
  std::vector<Words> what;
  std::vector<Words> where;
  const auto add = [&](const Decoding& decoding, const Words& seen) {
    for (size_t k = 0; k < disturbances().size(); ++k) {
      const std::array values{decoding.rate(k), decoding.rate(k, &Decoded::token), decoding.rate(k, &Decoded::position),
                              decoding.rate(k, &Decoded::segment)};
      for (size_t i = 0; i < values.size(); ++i) {
        disturbance.push_back(disturbances()[k].words);
        rate.push_back(values[i]);
        what.push_back(series[i].words);
        where.push_back(seen);
      }
    }
  };
  const auto seen_in = seen_words();
  add(rates.sum, seen_in[0]);
  add(rates.normalised, seen_in[1]);
  Json y = listed("disturbance", text("disturbance"));
  y["axis"]["labelOffset"] = -22;
  y["axis"]["grid"] = true;
  y["scale"] = {{"paddingInner", 0.45}, {"paddingOuter", 0.4}};
  Json channels_of_parts = name("what", text("what"));
  channels_of_parts["sort"] = Json::array();
  for (const auto& one : series) channels_of_parts["sort"].push_back(words(one.words));
  const Json x = scaled(number("rate", text("rate"), ".3f"), {{"domain", {0, 1}}});
  return {.name = "decoding-noise",
          .title = text("title"),
          .caption = text("caption"),
          .specification = facets(
              name("where", text("where")), seen_in,
              mark({{"type", "point"}, {"size", 50}},
                   of_points({{"x", x}, {"y", y}, {"yOffset", channels_of_parts}}, "what", text("what"), series)),
              {.least = 300, .most = 2, .axis = 38, .height = 54.0 * static_cast<double>(disturbances().size())}),
          .data = FigureData{{{"disturbance", disturbance}, {"rate", rate}, {"what", what}, {"where", where}}}};
}

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

/// Of random tables: how wide a sum has to be.
Figure capacity_figure(const Conditions& conditions, Numbers& numbers) {
  using namespace chart;
  const auto text = [](const char* of_what) {
    return wording(std::string("decoding.figures.decoding-capacity.") + of_what,
                   {{"thousand_tokens", kCapacityTokens / 1000},
                    {"positions", kCapacityPositions},
                    {"segments", kCapacitySegments},
                    {"token_norm", kTokenNorm},
                    {"position_norm", kPositionNorm},
                    {"segment_norm", kSegmentNorm}});
  };
  const auto seen_in = seen_words();
  std::vector<double> width_column;
  std::vector<double> rate_column;
  std::vector<Words> noise;
  std::vector<Words> where;
  for (const size_t width : {3, 4, 5, 8, 16, 64}) {
    RandomStream stream(conditions.seed, fmt::format("decoding: capacity {}", width));
    const auto table = [&](size_t rows, double norm) -> Table {
      return norm / std::sqrt(static_cast<double>(width)) * white_noise({rows, width}, stream);
    };
    const Table tokens = table(kCapacityTokens, kTokenNorm);
    const Table positions = table(kCapacityPositions, kPositionNorm);
    const Table segments = table(kCapacitySegments, kSegmentNorm);
    std::vector<SumItem> items(size_of(conditions).random);
    for (auto& item : items) {
      item.token = static_cast<Index>(stream.below(kCapacityTokens));
      item.position = static_cast<Index>(stream.below(kCapacityPositions));
      item.segment = static_cast<Index>(stream.below(kCapacitySegments));
    }
    const SumDecoder decoder(tokens, positions, segments);
    for (const auto seen : {Seen::sum, Seen::normalised}) {
      const Decoding decoding(decoder, items, seen, nullptr, conditions);
      for (size_t k = 0; k < disturbances().size(); ++k) {
        if (disturbances()[k].bf16) continue;
        width_column.push_back(static_cast<double>(width));
        rate_column.push_back(decoding.rate(k));
        noise.push_back(disturbances()[k].words);
        where.push_back(seen_in[seen == Seen::sum ? 0 : 1]);
      }
      if (seen == Seen::sum && (width == 4 || width == 16)) {
        const SumTables equal = with_equal_positions({tokens, positions, segments});
        const Decoding null({equal.tokens, equal.positions, equal.segments}, items, seen, nullptr, conditions);
        const auto& noisy = disturbances()[kNoise10];
        numbers.add(Measured(kRandomTables, fmt::format("{}_{}", width, noisy.name), decoding.rate(kNoise10),
                             {{"width", width}, {"percent", kNoisePercents[kNoise10 - kFirstNoise]}})
                        .null(null.rate(kNoise10), wording("decoding.beside.equal_positions"))
                        .control(decoding.rate(kUndisturbed), wording("decoding.beside.no_noise")));
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

Findings run_decoding(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  auto lacking = lacks_sum(subject);
  if (!lacking && corpus_items(subject).items.empty()) lacking = wording("decoding.no_corpus");
  if (lacking) {
    findings.gaps["3.1"] = *lacking;
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(wording("decoding.left_out", {{"few", kQuick.corpus},
                                                              {"many", kFull.corpus},
                                                              {"few_random", kQuick.random},
                                                              {"many_random", kFull.random}}));
  }
  const FirstNorm norm = first_norm(subject);
  const Rates rates = rates_of(subject, norm, conditions);
  conditions.progress(0.8);
  Numbers& numbers = findings.numbers["3.1"];
  add_rates(rates.sum, rates.beside_sum, kSum, conditions, numbers);
  add_rates(rates.normalised, rates.beside_normalised, kNormalised, conditions, numbers);
  RandomStream stream(conditions.seed, "decoding: projection");
  const auto items = drawn_items(corpus_items(subject), 20, stream);
  const Projection map = Projection::drawn(subject.tokens.cols(), stream);
  const Projection swapped{map.position, map.token, map.segment};
  const Projection identity = Projection::identity(subject.tokens.cols());
  numbers.add(Measured(kFold, fold_difference(subject, items, map, map))
                  .null(fold_difference(subject, items, map, swapped), wording("decoding.beside.wrong_maps"))
                  .control(fold_difference(subject, items, identity, identity), wording("decoding.beside.identities")));
  findings.figures.push_back(noise_figure(rates));
  findings.figures.push_back(capacity_figure(conditions, numbers));
  findings.remarks.push_back(wording("decoding.searched", {{"tokens", subject.tokens.rows()},
                                                           {"positions", subject.positions.rows()},
                                                           {"segments", subject.segments.rows()},
                                                           {"beside", kBesideTokens}}));
  conditions.progress(1);
  return findings;
}

Verdict judge_decoding(const Numbers& numbers) {
  const double sum = numbers.value(kSum.rate(kUndisturbed));
  const double normalised = numbers.value(kNormalised.rate(kUndisturbed));
  const std::string bf16 = kSum.rate(kBf16);
  const std::string normalised_bf16 = kNormalised.rate(kBf16);
  const double least = std::min({sum, normalised, numbers.value(bf16), numbers.value(normalised_bf16)});
  const bool told_apart = std::max(numbers.null(bf16), numbers.null(normalised_bf16)) < kLost &&
                          std::min(numbers.control(bf16), numbers.control(normalised_bf16)) >= kAllDecoded;
  const bool folds = numbers.value(kFold) <= kFoldRounding && numbers.null(kFold) > kWrongFold;
  Verdict verdict;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (least >= kAllDecoded) {
    verdict.observation = Observation::fails;
  } else if (std::min(sum, normalised) < kLost) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  verdict.inference = folds ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = wording("decoding.reason", {{"sum", 100 * sum},
                                               {"normalised", 100 * normalised},
                                               {"sum_bf16", 100 * numbers.value(bf16)},
                                               {"normalised_bf16", 100 * numbers.value(normalised_bf16)},
                                               {"fold", numbers.value(kFold)}});
  return verdict;
}

Words answer_decoding(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("3.1")) return findings.gaps.at("3.1");
  const Numbers& numbers = findings.numbers.at("3.1");
  const auto percent_of = [&](size_t disturbance) { return 100 * numbers.value(kNormalised.rate(disturbance)); };
  return wording("decoding.answer", {{"exact", percent_of(kUndisturbed)},
                                     {"some", kNoisePercents[kNoise10 - kFirstNoise]},
                                     {"with_some", percent_of(kNoise10)},
                                     {"much", kNoisePercents[kNoise30 - kFirstNoise]},
                                     {"with_much", percent_of(kNoise30)}});
}

}  // namespace
}  // namespace decoding

Experiment decoding_experiment() {
  using namespace decoding;
  Experiment experiment = described_experiment("decoding", settings());
  experiment.effort = 20;
  experiment.rules = {described_rule("decoding", "3.1", judge_decoding, settings())};
  experiment.run = run_decoding;
  experiment.answer = answer_decoding;
  return experiment;
}

}  // namespace summand::lab
