// 0.1, Q8c and 3.4: whose is the variance of each dimension, before and after the first normalisation?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/readings.hpp"
#include "lab/core/tasks.hpp"
#include "lab/core/wording.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/variance_shares/dominance.hpp"
#include "lab/experiments/variance_shares/normalisation_mix.hpp"
#include "lab/experiments/variance_shares/part_rows.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace variance_shares_parts {
namespace {

using Eigen::Index;

constexpr double kSomeDimensions = 0.01;  // of all: what "some dimensions" means
constexpr double kFewToMask = 0.1;        // of the tokens' variance; in the texts: a tenth
constexpr double kMixMoves = 0.05;        // of a share
constexpr double kMixStays = kMixMoves / 5;
constexpr double kControlStays = kMixMoves / 10;
constexpr double kFirstOverLast = 1.5;

constexpr NumberName kRatio{"variance_shares", "first_over_last"};
constexpr NumberName kSinusoidRotated{"variance_shares", "sinusoid_rotated"};
constexpr NumberName kTau{"variance_shares", "token_against_position"};

/// How much is drawn.
struct Size {
  size_t items = 3000;
  size_t rotations = 20;
  size_t resamplings = 100;
  size_t orders = 1000;
};
constexpr Size kFull{};
constexpr Size kQuick{.items = 600, .rotations = 5, .resamplings = 20, .orders = 100};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
Fills settings() {
  return {{"some_percent", 100 * kSomeDimensions},
          {"stays", kMixStays},
          {"moves", kMixMoves},
          {"control_stays", kControlStays},
          {"first_over_last", kFirstOverLast}};
}

/// In English 3,000, in Chinese 3000.
Words thousands(size_t number) {
  return {fmt::format("{}", fmt::group_digits(number)), fmt::format("{}", number)};
}

void measure_dominance(const PartSamples& own, const InputParts& parts, const FirstNorm& norm,
                       const Conditions& conditions, Findings& findings) {
  const auto readings = [&](const InputParts& some) {
    return dominance_readings(samples_like(own, some, norm), some, conditions);
  };
  const Size size = size_of(conditions);
  if (conditions.quick) {
    findings.left_out.push_back(wording("variance_shares.left_out.dominance", {{"few_resamplings", kQuick.resamplings},
                                                                               {"many_resamplings", kFull.resamplings},
                                                                               {"few_rotations", kQuick.rotations},
                                                                               {"many_rotations", kFull.rotations}}));
  }
  const Readings null =
      median_readings({.seed = conditions.seed, .name = "variance shares: rotation", .count = size.rotations},
                      [&](RandomStream& stream) { return readings(evenly_spread(parts, own.corpus, stream)); });
  const Words of_null = wording("variance_shares.beside.rotated", {{"rotations", size.rotations}});
  const Words of_control = wording("variance_shares.beside.planted");
  auto numbers = numbers_beside(dominance_readings(own, parts, conditions), {of_null, null},
                                {of_control, readings(with_own_dimensions(parts, own.corpus))});
  numbers.front().interval =
      bootstrap(own.corpus_items.size(),
                [&](std::span<const size_t> chosen) {
                  return DimensionShares::dominated(dimension_shares(own.corpus, chosen).position);
                },
                {.seed = conditions.seed,
                 .name = "variance shares: bootstrap",
                 .count = size.resamplings,
                 .threads = threads_of(conditions)});
  for (Number& number : numbers) findings.numbers["0.1"].add(std::move(number));
}

/// The positions' share in the first quarter of the dimensions over that in the last.
double first_over_last(const Vector& share) {
  const Index quarter = std::max<Index>(1, share.size() / 4);
  const double last = share.tail(quarter).mean();
  return last > 0 ? share.head(quarter).mean() / last : 1e3;
}

void measure_first_dimensions(const InputParts& parts, const Conditions& conditions, Findings& findings) {
  const DimensionShares own = uniform_shares(parts);
  InputParts planted = parts;
  const Index even = parts.positions.cols() + parts.positions.cols() % 2;
  planted.positions = centred(sinusoid({static_cast<size_t>(parts.positions.rows()), static_cast<size_t>(even)})
                                  .leftCols(parts.positions.cols()));
  planted.positions *= parts.positions.norm() / planted.positions.norm();
  const double control = first_over_last(uniform_shares(planted).position);
  RandomStream stream(conditions.seed, "variance shares: sinusoid");
  planted.positions = rotated(planted.positions, stream);
  if (conditions.quick) {
    findings.left_out.push_back(wording("variance_shares.left_out.orders",
                                        {{"few", thousands(kQuick.orders)}, {"many", thousands(kFull.orders)}}));
  }
  const auto in_order = [&](const std::string& name, const Vector& values, const auto& of) {
    return drawn({.seed = conditions.seed,
                  .name = "variance shares: " + name,
                  .count = size_of(conditions).orders,
                  .threads = threads_of(conditions)},
                 [&](RandomStream& draw) {
                   Vector shuffled = values;
                   draw.shuffle(std::span(shuffled.data(), static_cast<size_t>(shuffled.size())));
                   return of(shuffled);
                 });
  };
  const auto null = in_order("order", own.position, first_over_last);
  const Words of_null = wording("variance_shares.beside.random_order");
  Numbers& numbers = findings.numbers["3.4"];
  numbers.add(Measured(kRatio, first_over_last(own.position))
                  .null(median(null), of_null, middle_95_percent(null))
                  .control(control, wording("variance_shares.beside.sinusoid")));
  const Vector turned = uniform_shares(planted).position;
  const auto null_turned = in_order("turned", turned, first_over_last);
  numbers.add(Measured(kSinusoidRotated, first_over_last(turned))
                  .null(median(null_turned), of_null, middle_95_percent(null_turned))
                  .control(control, wording("variance_shares.beside.sinusoid_itself")));
  const Vector token = own.token.cwiseProduct(own.variance);
  const Vector position = own.position.cwiseProduct(own.variance);
  const auto with_token = [&](const Vector& values) { return kendall_tau(elements(token), elements(values)); };
  const auto null_tau = in_order("tau", position, with_token);
  const Vector opposite = -token;
  numbers.add(Measured(kTau, with_token(position))
                  .null(median(null_tau), of_null, middle_95_percent(null_tau))
                  .control(with_token(opposite), wording("variance_shares.beside.opposite")));
}

Figure shares_figure(const DimensionShares& before, const DimensionShares& after) {
  using namespace chart;
  const auto text = [](const char* name) {
    return wording(std::string("variance_shares.figures.variance-shares.") + name);
  };
  std::vector<Index> order(static_cast<size_t>(before.position.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) { return before.position(a) > before.position(b); });
  std::vector<double> rank;
  std::vector<double> dimension;
  std::vector<double> share;
  std::vector<Words> what;
  std::vector<Series> series;
  const auto add = [&](const Vector& of, const Series& one) {
    series.push_back(one);
    for (size_t i = 0; i < order.size(); ++i) {
      rank.push_back(static_cast<double>(i + 1));
      dimension.push_back(static_cast<double>(order[i]));
      share.push_back(of(order[i]));
      what.push_back(one.words);
    }
  };
  const auto& [token, position, segment] = series_of_parts();
  add(before.token, token);
  add(before.position, position);
  add(before.segment, segment);
  add(after.position, {text("position_after"), {.colour = "@sky", .dash = {8, 3}}});
  Json lines =
      mark({{"type", "line"}}, of_lines({{"x", whole("rank", text("rank"))}, {"y", number("share", text("share"))}},
                                        "part", text("part"), series));
  lines["encoding"]["tooltip"].push_back(number("dimension", text("dimension"), "d"));
  return {.name = "variance-shares",
          .title = text("title"),
          .caption = text("caption"),
          .specification = layers({std::move(lines), rule("y", DimensionShares::kDominant),
                                   rule_label("y", DimensionShares::kDominant, text("half"))}),
          .data = FigureData{{{"rank", rank}, {"dimension", dimension}, {"share", share}, {"part", what}}}};
}

Findings run_variance_shares(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  auto lacking = lacks_sum(subject);
  const InputParts parts = lacking ? InputParts{} : input_parts(subject);
  const CorpusItems corpus = lacking ? CorpusItems{} : corpus_items(subject);
  if (!lacking && corpus.items.size() < 2) lacking = wording("variance_shares.gaps.corpus");
  if (!lacking && parts.positions.isZero(0)) lacking = wording("variance_shares.gaps.equal_positions");
  if (lacking) {
    for (const char* claim : {"0.1", "Q8c", "3.4"}) findings.gaps[claim] = *lacking;
    return findings;
  }
  const size_t count = size_of(conditions).items;
  if (conditions.quick) {
    findings.left_out.push_back(wording("variance_shares.left_out.items",
                                        {{"few", thousands(kQuick.items)}, {"many", thousands(kFull.items)}}));
  }
  RandomStream stream(conditions.seed, "variance shares: items");
  const FirstNorm norm = first_norm(subject);
  const bool fits = corpus.items.size() <= count;
  auto in_corpus = fits ? corpus.items : drawn_items(corpus, count, stream);
  const PartSamples own = samples_of(parts, norm, std::move(in_corpus), uniform_items(subject, count, stream));
  conditions.progress(0.3);
  measure_dominance(own, parts, norm, conditions, findings);
  conditions.progress(0.7);
  measure_normalisation(own, norm, conditions, findings.numbers["Q8c"]);
  measure_first_dimensions(parts, conditions, findings);
  findings.figures.push_back(shares_figure(dimension_shares(own.corpus), dimension_shares(own.corpus_after)));
  findings.remarks.push_back(wording("variance_shares.remark"));
  conditions.progress(1);
  return findings;
}

Verdict judge_dominance(const Numbers& numbers) {
  const double own = numbers.value(kDominated);
  const double tokens_there = numbers.value(kTokensThere);
  Verdict verdict;
  const bool told_apart = numbers.null(kDominated) < kSomeDimensions && numbers.control(kDominated) >= kSomeDimensions;
  verdict.observation = !told_apart              ? Observation::cannot_be_told
                        : own >= kSomeDimensions ? Observation::holds
                                                 : Observation::fails;
  const bool little = tokens_there < kFewToMask;
  verdict.inference =
      little || verdict.observation == Observation::fails ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = wording("variance_shares.reason.dominance", {{"dominated", 100 * own},
                                                                {"after", 100 * numbers.value(kDominatedAfter)},
                                                                {"share", numbers.value(kPositionShare.of(kCorpus))},
                                                                {"tokens", tokens_there}});
  return verdict;
}

Verdict judge_normalisation(const Numbers& numbers) {
  const double moves = numbers.value(kMix);
  const double without = numbers.null(kMix);
  Verdict verdict;
  const bool told_apart = without >= kMixMoves && numbers.control(kMix) < kControlStays;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else if (moves < kMixStays) {
    verdict.observation = Observation::holds;
  } else if (moves >= kMixMoves) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = wording("variance_shares.reason.normalisation", {{"moves", moves},
                                                                    {"without", without},
                                                                    {"before", numbers.value(kUnevenBefore)},
                                                                    {"after", numbers.value(kUnevenAfter)}});
  return verdict;
}

Verdict judge_first_dimensions(const Numbers& numbers) {
  const double ratio = numbers.value(kRatio);
  const double of_sinusoid = numbers.control(kRatio);
  const double high = numbers.at(kRatio).null->interval->high;
  const double tau = numbers.value(kTau);
  Verdict verdict;
  if (of_sinusoid < kFirstOverLast || high >= of_sinusoid) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = ratio >= kFirstOverLast && ratio > high ? Observation::holds : Observation::fails;
  }
  const bool apart = tau < numbers.at(kTau).null->interval->low;
  verdict.inference = apart ? Inference::follows : Inference::does_not_follow;
  verdict.reason =
      wording("variance_shares.reason.first_dimensions", {{"ratio", ratio}, {"sinusoid", of_sinusoid}, {"tau", tau}});
  return verdict;
}

Words answer_variance_shares(const Findings& findings, const std::map<std::string, Verdict>&) {
  if (findings.gaps.contains("0.1")) return findings.gaps.at("0.1");
  const Numbers& numbers = findings.numbers.at("0.1");
  return wording("variance_shares.answer", {{"token", numbers.value(kTokenShare.of(kCorpus))},
                                            {"position", numbers.value(kPositionShare.of(kCorpus))},
                                            {"segment", numbers.value(kSegmentShare.of(kCorpus))},
                                            {"dominated", 100 * numbers.value(kDominated)}});
}

}  // namespace
}  // namespace variance_shares_parts

Experiment variance_shares_experiment() {
  using namespace variance_shares_parts;
  Experiment experiment = described_experiment("variance_shares", settings());
  experiment.rules = {described_rule("variance_shares", "0.1", judge_dominance, settings()),
                      described_rule("variance_shares", "Q8c", judge_normalisation, settings()),
                      described_rule("variance_shares", "3.4", judge_first_dimensions, settings())};
  experiment.run = run_variance_shares;
  experiment.answer = answer_variance_shares;
  return experiment;
}

}  // namespace summand::lab
