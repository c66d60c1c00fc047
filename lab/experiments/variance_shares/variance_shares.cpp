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
#include "lab/core/bare_numbers.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/localize.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/variance_shares/dominance.hpp"
#include "lab/experiments/variance_shares/normalisation_mix.hpp"
#include "lab/experiments/variance_shares/part_rows.hpp"
#include "lab/nulls/sinusoid.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace variance_shares_parts {
namespace {

using Eigen::Index;

// Of the whole variance: what lies in "some dimensions". Positions of the same variance turned at random reach 0.07 of
// it over MiniLM's tokens, 0.0006 over its words: the bar is for tables that have hardly any, the turned ones for
// others.
constexpr double kSome = 0.01;
constexpr double kMost = 0.5;       // of the whole variance: then positions dominate by their size alone
constexpr double kFewToMask = 0.1;  // of the tokens' variance; in the texts: a tenth
// Of what doubling a part does to its log odds: none of it is left where each
// part is normalised by itself, all of it without a normalisation.
constexpr double kMixStays = 0.1;
constexpr double kMixMoves = 0.5;
constexpr double kFirstOverLast = 1.5;

constexpr NumberName kSinusoid{"variance_shares", "sinusoid_first_over_last"};
constexpr NumberName kRatio{"variance_shares", "first_over_last"};
constexpr NumberName kTau{"variance_shares", "token_against_position"};

/// How much is drawn.
struct Size {
  size_t tokens = 3000;
  size_t combinations = 3000;
  size_t rotations = 20;
  size_t resamplings = 500;
  size_t orders = 1000;
};
constexpr Size kFull{};
constexpr Size kQuick{.combinations = 600, .rotations = 5, .resamplings = 100, .orders = 100};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// In English 3,000, in Chinese 3000.
LocalizedText thousands(size_t number) {
  return {fmt::format("{}", fmt::group_digits(number)), fmt::format("{}", number)};
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"some_percent", 100 * kSome},
          {"stays", kMixStays},
          {"moves", kMixMoves},
          {"first_over_last", kFirstOverLast},
          {"drawn_tokens", thousands(kFull.tokens)}};
}

/// What the three measurements share.
struct Context {
  const Subject& subject;
  const Conditions& conditions;
  InputParts parts;
  Table tokens_but_first;  ///< without [CLS]'s row
  FirstNorm norm;
  SampledTokens tokens;
  std::vector<SumItem> combinations;

  [[nodiscard]] PartSamples samples(const InputParts& some) const { return {some, norm, tokens, combinations}; }
  [[nodiscard]] Draws draws(const char* name, size_t count) const {
    return {.seed = conditions.seed,
            .name = std::string("variance shares: ") + name,
            .count = count,
            .threads = thread_count(conditions)};
  }
  [[nodiscard]] Draws resamplings() const { return draws("bootstrap ", size_of(conditions).resamplings); }
};

/// How much of the words' variance lies where positions of other directions dominate, draw by draw.
std::vector<double> dominated_turned(const Context& context, const InputParts& parts, const char* name) {
  std::vector<double> values;
  for (size_t draw = 0; draw < size_of(context.conditions).rotations; ++draw) {
    RandomStream stream(context.conditions.seed, fmt::format("variance shares: {} {}", name, draw));
    const auto shares = dimension_shares(part_rows(turned(parts, stream), context.tokens.words.items));
    values.push_back(shares.dominated(shares.position));
  }
  return values;
}

void set_intervals(const Dominance& own, std::vector<Number>& numbers) {
  for (Number& number : numbers) {
    if (number.name == kDominated.name) number.interval = own.dominated;
    if (number.name == kTokensThere.name) number.interval = own.tokens_there;
    if (number.name == kPositionShare.of(kWords)) number.interval = own.position_share;
  }
}

/// The same of the control, whose intervals are over texts too.
void set_control_intervals(const Dominance& control, std::vector<Number>& numbers) {
  for (Number& number : numbers) {
    if (number.name == kDominated.name) number.control->interval = control.dominated;
    if (number.name == kPositionShare.of(kWords)) number.control->interval = control.position_share;
  }
}

void measure_dominance(const Context& context, const PartSamples& own, Findings& findings) {
  const auto bare_numbers = [&](const InputParts& some) {
    return bare_dominance_numbers(context.samples(some), some, context.conditions);
  };
  const Size size = size_of(context.conditions);
  if (context.conditions.quick) {
    findings.left_out.push_back(localize("variance_shares.left_out.dominance", {{"few_resamplings", kQuick.resamplings},
                                                                                {"many_resamplings", kFull.resamplings},
                                                                                {"few_rotations", kQuick.rotations},
                                                                                {"many_rotations", kFull.rotations}}));
  }
  const BareNumbers null = median_numbers(context.draws("rotation", size.rotations), [&](RandomStream& stream) {
    return bare_numbers(turned(context.parts, stream));
  });
  RandomStream stream(context.conditions.seed, "variance shares: planted dimensions");
  const InputParts planted = with_own_dimensions(context.parts, own.words, stream);
  const double planted_turned = middle_95_percent(dominated_turned(context, planted, "planted, turned")).high;
  const PartSamples planted_samples = context.samples(planted);
  const LocalizedText of_control = localize("variance_shares.beside.planted");
  auto numbers = with_references(bare_dominance_numbers(own, context.parts, context.conditions),
                                 {localize("variance_shares.beside.rotated", {{"rotations", size.rotations}}), null},
                                 {of_control, bare_dominance_numbers(planted_samples, planted, context.conditions)});
  const double own_turned = numbers.front().null->interval->high;
  set_intervals(dominance_of(own, own_turned, context.resamplings()), numbers);
  set_control_intervals(dominance_of(planted_samples, planted_turned, context.resamplings()), numbers);
  // Behind what it is the bar of.
  numbers.insert(numbers.begin() + 1, NumberBuilder(kDominatedTurned, own_turned)
                                          .null(0, localize("variance_shares.beside.no_positions"))
                                          .control(planted_turned, of_control));
  findings.numbers["0.1"].add(std::move(numbers));
}

/// What the first quarter of the dimensions has on average, over the last.
double first_over_last(const Vector& of_dimension) {
  constexpr double kLargestRatio = 1e6;
  const Index quarter = std::max<Index>(1, of_dimension.size() / 4);
  const double first = of_dimension.head(quarter).mean();
  const double last = of_dimension.tail(quarter).mean();
  return last > first / kLargestRatio ? first / last : kLargestRatio;
}

Vector dimension_variances(const Table& table) {
  return centred(table).cwiseAbs2().colwise().mean().transpose();
}

/// Of the sinusoid alone, whatever the checkpoint's rows are.
void add_sinusoid(const Context& context, const Table& wave, Numbers& numbers) {
  std::vector<double> rotations;
  const size_t count = size_of(context.conditions).rotations;
  for (size_t draw = 0; draw < count; ++draw) {
    RandomStream stream(context.conditions.seed, fmt::format("variance shares: sinusoid {}", draw));
    rotations.push_back(first_over_last(dimension_variances(rotated(wave, stream))));
  }
  const Vector falling = Vector::LinSpaced(wave.cols(), static_cast<double>(wave.cols()), 1);
  numbers.add(
      NumberBuilder(kSinusoid, first_over_last(dimension_variances(wave)))
          .null(median_estimate(rotations), localize("variance_shares.beside.turned_sinusoid", {{"rotations", count}}))
          .control(first_over_last(falling), localize("variance_shares.beside.falling")));
}

void measure_first_dimensions(const Context& context, Findings& findings) {
  const InputParts& parts = context.parts;
  const Index even = parts.positions.cols() + parts.positions.cols() % 2;
  const Table wave = centred(sinusoid({static_cast<size_t>(parts.positions.rows()), static_cast<size_t>(even)})
                                 .leftCols(parts.positions.cols()));
  if (context.conditions.quick) {
    findings.left_out.push_back(localize("variance_shares.left_out.orders",
                                         {{"few", thousands(kQuick.orders)}, {"many", thousands(kFull.orders)}}));
  }
  const auto in_order = [&](const char* name, const Vector& values, const auto& of) {
    return drawn(context.draws(name, size_of(context.conditions).orders), [&](RandomStream& draw) {
      Vector shuffled = values;
      draw.shuffle(std::span(shuffled.data(), static_cast<size_t>(shuffled.size())));
      return of(shuffled);
    });
  };
  Numbers& numbers = findings.numbers["3.4"];
  add_sinusoid(context, wave, numbers);
  const LocalizedText of_null = localize("variance_shares.beside.random_order");
  // What row 0 holds could as well stand in [CLS]'s token row: neither of the two has a part in it.
  const Vector position =
      dimension_variances(parts.positions.bottomRows(std::max<Index>(1, parts.positions.rows() - 1)));
  const auto null = in_order("order", position, first_over_last);
  numbers.add(NumberBuilder(kRatio, first_over_last(position))
                  .null(median_estimate(null), of_null)
                  .control(first_over_last(dimension_variances(wave)), localize("variance_shares.beside.sinusoid")));
  const Vector token = dimension_variances(context.tokens_but_first);
  const auto with_token = [&](const Vector& values) { return kendall_tau(elements(token), elements(values)); };
  const auto null_tau = in_order("tau", position, with_token);
  const Vector opposite = -token;
  numbers.add(NumberBuilder(kTau, with_token(position))
                  .null(median_estimate(null_tau), of_null)
                  .control(with_token(opposite), localize("variance_shares.beside.opposite")));
}

/// @param before  of words @param all  with the special tokens
Figure shares_figure(const DimensionShares& before, const DimensionShares& all) {
  using namespace chart;
  const auto text = [](const char* name) {
    return localize(std::string("variance_shares.figures.variance-shares.") + name);
  };
  std::vector<Index> order(static_cast<size_t>(before.position.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, [&](Index a, Index b) { return before.position(a) > before.position(b); });
  std::vector<double> rank;
  std::vector<double> dimension;
  std::vector<double> share;
  std::vector<LocalizedText> what;
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
  add(all.position, {text("position_all"), {.colour = "@sky", .dash = {8, 3}}});
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
  const Size size = size_of(conditions);
  RandomStream stream(conditions.seed, "variance shares: items");
  Context context{.subject = subject,
                  .conditions = conditions,
                  .parts = {},
                  .tokens_but_first = {},
                  .norm = {},
                  .tokens = {},
                  .combinations = {}};
  if (!lacking) {
    context.parts = input_parts(subject);
    context.tokens_but_first = seen_tokens_but_first(subject);
    context.tokens = sampled_tokens(subject, size.tokens, stream);
    if (context.tokens.words.items.size() < 2) lacking = localize("variance_shares.gaps.corpus");
  }
  if (!lacking && context.parts.positions.isZero(0)) lacking = localize("variance_shares.gaps.equal_positions");
  if (lacking) {
    for (const char* claim : {"0.1", "Q8c", "3.4"}) findings.gaps[claim] = *lacking;
    return findings;
  }
  context.norm = first_norm(subject);
  context.combinations = uniform_items(subject, size.combinations, stream);
  if (conditions.quick) {
    findings.left_out.push_back(
        localize("variance_shares.left_out.combinations",
                 {{"few", thousands(kQuick.combinations)}, {"many", thousands(kFull.combinations)}}));
  }
  const PartSamples own = context.samples(context.parts);
  conditions.progress(0.2);
  if (const auto few = too_few(context.tokens.words.filled_texts(), texts_with_a_word())) {
    for (const char* claim : {"0.1", "Q8c"}) findings.gaps[claim] = *few;
  } else {
    measure_dominance(context, own, findings);
    conditions.progress(0.7);
    Numbers mix;
    measure_normalisation(own, context.norm, conditions, context.resamplings(), mix);
    if (mix.all().empty()) {
      findings.gaps["Q8c"] = localize("variance_shares.gaps.one_part");
    } else {
      findings.numbers["Q8c"] = std::move(mix);
    }
  }
  measure_first_dimensions(context, findings);
  findings.figures.push_back(shares_figure(dimension_shares(own.words), dimension_shares(own.all)));
  findings.remarks.push_back(localize("variance_shares.remarks.parts"));
  findings.remarks.push_back(localize("variance_shares.remarks.drawn"));
  conditions.progress(1);
  return findings;
}

/// What is dominated, of the checkpoint or of a reference.
Observation where_positions_dominate(const Interval& dominated, const Interval& position_share, double turned_high) {
  const bool by_size = position_share.low > kMost;
  if (dominated.low > kSome && (dominated.low > turned_high || by_size)) return Observation::holds;
  return dominated.high < kSome ? Observation::fails : Observation::cannot_be_told;
}

Verdict judge_dominance(const Numbers& numbers) {
  const Number& own = numbers.at(kDominated);
  const Number& share = numbers.at(kPositionShare.of(kWords));
  const Number& turned_high = numbers.at(kDominatedTurned);
  const Number& tokens_there = numbers.at(kTokensThere);
  Verdict verdict;
  const auto control =
      where_positions_dominate(*own.control->interval, *share.control->interval, turned_high.control->value);
  verdict.observation = observation_if(control == Observation::holds,
                                       where_positions_dominate(*own.interval, *share.interval, turned_high.value));
  const bool little = verdict.observation == Observation::holds && tokens_there.interval->high < kFewToMask;
  if (little || verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason =
      localize("variance_shares.reason.dominance", {{"dominated", 100 * own.value},
                                                    {"low", 100 * own.interval->low},
                                                    {"high", 100 * own.interval->high},
                                                    {"turned", 100 * turned_high.value},
                                                    {"all", 100 * numbers.value(kDominatedAll)},
                                                    {"largest", numbers.value(kLargestIs.of(kCorpus))},
                                                    {"of_all", 100 * numbers.value(kLargest.of(kCorpus))},
                                                    {"positions", 100 * numbers.value(kLargestPosition.of(kCorpus))}});
  return verdict;
}

/// What is left of a change of the mix.
Observation is_mix_unified(const Interval& left) {
  if (left.high < kMixStays) return Observation::holds;
  return left.low >= kMixMoves ? Observation::fails : Observation::cannot_be_told;
}

const char* mix_text(Observation observation) {
  switch (observation) {
    case Observation::holds:
      return "variance_shares.mix.unified";
    case Observation::fails:
      return "variance_shares.mix.left";
    case Observation::cannot_be_told:
    case Observation::not_judged:
    case Observation::not_measured:
      break;
  }
  return "variance_shares.mix.not_told";
}

Verdict judge_normalisation(const Numbers& numbers) {
  const Number& own = numbers.at(kMix);
  Verdict verdict;
  verdict.observation = controlled_interval(numbers, kMix).judged_by(is_mix_unified, Observation::fails);
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = localize("variance_shares.reason.normalisation", {{"left", own.value},
                                                                     {"low", own.interval->low},
                                                                     {"high", own.interval->high},
                                                                     {"before", numbers.value(kUnevenBefore)},
                                                                     {"after", numbers.value(kUnevenAfter)},
                                                                     {"mix", localize(mix_text(verdict.observation))}});
  return verdict;
}

/// Whether the first dimensions have more.
bool more_in_first(double ratio, double high) {
  return ratio >= kFirstOverLast && ratio > high;
}

Verdict judge_first_dimensions(const Numbers& numbers) {
  const Number& wave = numbers.at(kSinusoid);
  const Number& own = numbers.at(kRatio);
  const Number& tau = numbers.at(kTau);
  const double high = wave.null->interval->high;
  Verdict verdict;
  if (!more_in_first(wave.control->value, high) || more_in_first(wave.null->value, high)) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = more_in_first(wave.value, high) ? Observation::holds : Observation::fails;
  }
  const bool own_has_them = more_in_first(own.value, own.null->interval->high);
  if (verdict.observation == Observation::holds && own_has_them) {
    verdict.inference = tau.value < tau.null->interval->low ? Inference::follows : Inference::does_not_follow;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason =
      localize(own_has_them ? "variance_shares.reason.first_dimensions_own" : "variance_shares.reason.first_dimensions",
               {{"ratio", own.value}, {"sinusoid", wave.value}, {"tau", tau.value}});
  return verdict;
}

LocalizedText answer_variance_shares(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("0.1")) return gap_answer(findings.gaps.at("0.1"));
  const Numbers& numbers = findings.numbers.at("0.1");
  const auto observation = verdicts.at("0.1").observation;
  const char* verdict = observation == Observation::holds   ? "variance_shares.answer.verdicts.dominates"
                        : observation == Observation::fails ? "variance_shares.answer.verdicts.does_not"
                                                            : "variance_shares.answer.verdicts.not_told";
  const FormatArgs args{{"verdict", localize(verdict)},
                        {"token", 100 * numbers.value(kTokenShare.of(kWords))},
                        {"position", 100 * numbers.value(kPositionShare.of(kWords))},
                        {"segment", 100 * numbers.value(kSegmentShare.of(kWords))},
                        {"dominated", 100 * numbers.value(kDominated)},
                        {"all", 100 * numbers.value(kDominatedAll)}};
  const LocalizedText shares = localize("variance_shares.answer.shares", args);
  if (findings.gaps.contains("Q8c")) return shares;
  const LocalizedText mix = localize(mix_text(verdicts.at("Q8c").observation));
  return localize("variance_shares.answer.both", {{"shares", shares}, {"mix", mix}});
}

}  // namespace
}  // namespace variance_shares_parts

Experiment variance_shares_experiment() {
  using namespace variance_shares_parts;
  Experiment experiment = described_experiment("variance_shares", settings());
  experiment.effort = 38;
  experiment.rules = {described_rule("variance_shares", "0.1", judge_dominance, settings(), {.claim = "3.1"}),
                      described_rule("variance_shares", "Q8c", judge_normalisation, settings(), {.claim = "Q8c"}),
                      described_rule("variance_shares", "3.4", judge_first_dimensions, settings(),
                                     {.kind = Kind::algebra, .claim = "3.3"})};
  experiment.run = run_variance_shares;
  experiment.answer = answer_variance_shares;
  return experiment;
}

}  // namespace summand::lab
