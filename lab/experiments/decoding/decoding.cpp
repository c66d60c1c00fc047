// 3.1: can token, position and segment be read back from their sum, and is a concatenation anything else?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/bare_numbers.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/half_away_from_zero.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/decoding/disturbed_sums.hpp"
#include "lab/experiments/decoding/random_sums.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/probing/fold.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/sum_decoder.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/proportion.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace decoding {
namespace {

using Eigen::Index;

constexpr double kAllDecoded = 0.99;  // of the vectors: what counts as nothing lost
constexpr double kLost = 0.5;         // under it, half as the rule has it, much is lost
constexpr double kWrongFold = 100 * kFoldRounding;
constexpr Index kReferenceTokens = 4096;  // of null and control: their tables need no whole vocabulary
constexpr int kLowPercent = 10;           // of the margins: a quantile beside the least and the median

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
constexpr NumberName kIdentified{"decoding", "side_by_side"};
constexpr NumberName kOrdinary{"decoding", "ordinary"};
constexpr NumberName kFold{"decoding", "fold"};

/// How many vectors are decoded.
struct Size {
  size_t noisy = 200;  ///< of the corpus, and of uniform combinations
  size_t noisy_references = 50;
  size_t random = 200;  ///< of random tables
};
constexpr Size kFull{};
constexpr Size kQuick{.noisy = 24, .noisy_references = 20, .random = 50};
// Without noise. With n of n found, the 95 % lower bound reaches 0.99 from n = 368.
constexpr size_t kSamples = 400;
constexpr Index kMaxQuickCombinations = 1 << 26;  // with more to search, a quick run decodes fewer:
constexpr size_t kQuickSamples = 24;              // too few to decide
constexpr size_t kNullSamples = 50;               // where nothing is found, fewer decide

const Size& size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// How many are decoded without noise.
size_t sample_count(const Subject& subject, const Conditions& conditions) {
  const Index combinations = subject.tokens.rows() * subject.positions.rows() * subject.segments.rows();
  return conditions.quick && combinations > kMaxQuickCombinations ? kQuickSamples : kSamples;
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"least_noise", kNoisePercents.front()},     {"most_noise", kNoisePercents.back()},
          {"found_percent", 100 * kAllDecoded},        {"fold_e4", 1e4 * kFoldRounding},
          {"wrong_times", kWrongFold / kFoldRounding}, {"deciding", kSamples}};
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

/// Of each row, whether another of its table is the same.
std::vector<bool> repeated(const Table& table) {
  const auto row = [&](Index index) {
    return std::string_view(reinterpret_cast<const char*>(table.row(index).data()),
                            static_cast<size_t>(table.cols()) * sizeof(double));
  };
  std::unordered_map<std::string_view, size_t> counts;
  for (Index i = 0; i < table.rows(); ++i) ++counts[row(i)];
  std::vector<bool> is_repeated(static_cast<size_t>(table.rows()));
  for (Index i = 0; i < table.rows(); ++i) is_repeated[static_cast<size_t>(i)] = counts.at(row(i)) > 1;
  return is_repeated;
}

/// How many combinations the concatenation of their three rows identifies: no row of them occurs twice in its table.
size_t identified_by_concatenation(const SumTables& tables, const std::vector<SumItem>& items) {
  const auto token = repeated(tables.tokens);
  const auto position = repeated(tables.positions);
  const auto segment = repeated(tables.segments);
  return static_cast<size_t>(std::ranges::count_if(items, [&](const SumItem& item) {
    return !token[static_cast<size_t>(item.token)] && !position[static_cast<size_t>(item.position)] &&
           !segment[static_cast<size_t>(item.segment)];
  }));
}

/// Tables projected so that one degree of freedom is left: to 1 dimension for the raw sum; to 3 before LayerNorm, which
/// leaves one angle.
SumTables projected_to_one_dimension(const SumTables& tables, Seen seen, RandomStream& stream) {
  const size_t width = seen == Seen::sum ? 1 : 3;
  const Table directions = white_noise({static_cast<size_t>(tables.tokens.cols()), width}, stream);
  return {tables.tokens * directions, tables.positions * directions, tables.segments * directions};
}

SumTables with_gaussian_positions_and_segments(SumTables tables, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "decoding: side by side");
  tables.positions = gaussian_like(tables.positions, stream);
  tables.segments = gaussian_like(tables.segments, stream);
  return tables;
}

/// Combinations of their rows, each as likely.
std::vector<SumItem> uniform_sums(const SumTables& tables, size_t count, RandomStream& stream) {
  const auto row = [&](const Table& table) {
    return static_cast<Index>(stream.below(static_cast<size_t>(table.rows())));
  };
  std::vector<SumItem> items(count);
  for (auto& item : items) item = {row(tables.tokens), row(tables.positions), row(tables.segments)};
  return items;
}

/// Sums of so many rows drawn uniformly, decoded under every disturbance.
Decoding reference_decoding(const SumTables& tables, size_t count, Seen seen, const Conditions& conditions) {
  const SumDecoder decoder(tables.tokens, tables.positions, tables.segments);
  RandomStream stream(conditions.seed, "decoding: beside, rows");
  const DecodedItems of{.items = uniform_sums(tables, count, stream),
                        .noisy = std::min(count, size_of(conditions).noisy_references)};
  return {decoder, of, seen, nullptr, conditions};
}

/// What is searched: the checkpoint's tables, of the tokens the rows that a text reaches. What lies in the others
/// changes no output, and must not change what is found.
class Candidates {
 public:
  Candidates(const Subject& subject, const CorpusItems& corpus) {
    std::set<Index> ids(subject.reached.begin(), subject.reached.end());
    for (const auto& item : corpus.items) ids.insert(item.token);
    ids_.assign(ids.begin(), ids.end());
    tables_ = {subject.tokens(ids_, Eigen::all), subject.positions, subject.segments};
  }
  [[nodiscard]] const SumTables& tables() const { return tables_; }
  /// The same combinations, their tokens by their rows here.
  [[nodiscard]] std::vector<SumItem> placed(std::vector<SumItem> items) const {
    for (auto& item : items) item.token = std::ranges::lower_bound(ids_, item.token) - ids_.begin();
    return items;
  }

 private:
  std::vector<Index> ids_;
  SumTables tables_;
};

/// The references of one search on the checkpoint.
struct ReferenceDecodings {
  Decoding null, control;
  Decoding one_dimension;        ///< the same tables, projected to one dimension: the null of bf16
  std::vector<Decoded> uniform;  ///< combinations drawn uniformly; none in a quick run
};

/// Both searches on the checkpoint, and their references.
struct Rates {
  std::vector<SumItem> items;     ///< what was decoded
  Index tokens = 0;               ///< of which so many were searched
  size_t identified = 0;          ///< by the concatenation of their rows
  size_t identified_of_null = 0;  ///< the same of the null and the control
  size_t identified_of_control = 0;
  Decoding sum, normalised;
  ReferenceDecodings sum_references, normalised_references;
};

/// @param count  of what the control decodes
ReferenceDecodings reference_decodings(const SumTables& all, size_t count, Seen seen, const Conditions& conditions) {
  const SumTables own{all.tokens.topRows(std::min(kReferenceTokens, all.tokens.rows())), all.positions, all.segments};
  RandomStream stream(conditions.seed, "decoding: beside");
  const SumTables gaussian{gaussian_like(own.tokens, stream), gaussian_like(own.positions, stream),
                           gaussian_like(own.segments, stream)};
  return {.null = reference_decoding(with_equal_positions(own), kNullSamples, seen, conditions),
          .control = reference_decoding(gaussian, count, seen, conditions),
          .one_dimension =
              reference_decoding(projected_to_one_dimension(own, seen, stream), kNullSamples, seen, conditions),
          .uniform = {}};
}

Rates rates_of(const Subject& subject, const FirstNorm& norm, const Conditions& conditions) {
  const Size& size = size_of(conditions);
  RandomStream stream(conditions.seed, "decoding: corpus");
  const size_t samples = sample_count(subject, conditions);
  const CorpusItems corpus = corpus_items(subject);
  const Candidates candidates(subject, corpus);
  const SumTables& tables = candidates.tables();
  const auto items = drawn_items(corpus, samples, stream);
  const DecodedItems of{.items = candidates.placed(items), .noisy = std::min(samples, size.noisy)};
  const SumDecoder decoder(tables.tokens, tables.positions, tables.segments);
  Rates rates{.items = items,
              .tokens = tables.tokens.rows(),
              .identified = identified_by_concatenation(tables, of.items),
              .identified_of_null = identified_by_concatenation(with_equal_positions(tables), of.items),
              .identified_of_control =
                  identified_by_concatenation(with_gaussian_positions_and_segments(tables, conditions), of.items),
              .sum = {decoder, of, Seen::sum, nullptr, conditions},
              .normalised = {decoder, of, Seen::normalised, &norm, conditions},
              .sum_references = reference_decodings(tables, samples, Seen::sum, conditions),
              .normalised_references = reference_decodings(tables, samples, Seen::normalised, conditions)};
  conditions.progress(0.7);
  if (!conditions.quick) {
    RandomStream uniform(conditions.seed, "decoding: uniform");
    const auto anywhere = uniform_sums(tables, size.noisy, uniform);
    const auto decoded = [&](Seen seen) {
      return decoder.decode(decoder.seen(anywhere, seen), anywhere, seen, thread_count(conditions));
    };
    rates.sum_references.uniform = decoded(Seen::sum);
    rates.normalised_references.uniform = decoded(Seen::normalised);
  }
  return rates;
}

/// Every rate of a decoding, then the quantiles of its margins.
/// @param width  of the sums
BareNumbers bare_numbers_of(const Decoding& decoding, const Searched& searched, Index width) {
  BareNumbers bare;
  for (size_t k = 0; k < disturbances().size(); ++k) {
    const auto& one = disturbances()[k];
    bare.push_back(bare_number(searched.rates, one.name, decoding.rate(k),
                               {{"disturbance", one.words}, {"width", width}, {"count", decoding.of(k).size()}}));
  }
  const auto margins = decoding.margins();
  const auto margin = [&](const std::string& which, double probability) {
    const LocalizedText words = localize("decoding.margins." + which, {{"percent", kLowPercent}});
    bare.push_back(bare_number(searched.margins, which, quantile(margins, probability), {{"which", words}}));
  };
  margin("least", 0);
  margin("p10", kLowPercent / 100.0);
  margin("median", 0.5);
  return bare;
}

/// How many vectors a reference has, of which tables.
LocalizedText of_sums(const Decoding& decoding, size_t disturbance, const char* tables) {
  return localize("decoding.beside.sums", {{"count", decoding.of(disturbance).size()},
                                           {"tables", localize(std::string("decoding.beside.") + tables)}});
}

ReferenceValue reference_value(const Decoding& decoding, size_t disturbance, const char* tables) {
  return {.value = decoding.rate(disturbance),
          .interval = decoding.bounds(disturbance),
          .of = of_sums(decoding, disturbance, tables)};
}

/// A rate with its bounds, and the null and the control of all sums.
Number with_bounds(const NumberBuilder& measured, const Interval& bounds, const ReferenceDecodings& references) {
  Number number = NumberBuilder(measured).interval(bounds);
  number.null = reference_value(references.null, kUndisturbed, "equal_positions");
  number.control = reference_value(references.control, kUndisturbed, "gaussian");
  return number;
}

void add_rates(const Decoding& own, const ReferenceDecodings& references, const Searched& searched, Index width,
               Numbers& numbers) {
  auto rates = with_references(
      bare_numbers_of(own, searched, width),
      {of_sums(references.null, kUndisturbed, "equal_positions"), bare_numbers_of(references.null, searched, width)},
      {of_sums(references.control, kUndisturbed, "gaussian"), bare_numbers_of(references.control, searched, width)});
  for (size_t k = 0; k < disturbances().size(); ++k) {
    rates[k].interval = own.bounds(k);
    rates[k].null = k == kBf16 ? reference_value(references.one_dimension, k, "one_number")
                               : reference_value(references.null, k, "equal_positions");
    rates[k].control = reference_value(references.control, k, "gaussian");
  }
  numbers.add(std::move(rates));
  if (references.uniform.empty()) return;
  numbers.add(with_bounds({searched.uniform, exact_rate(references.uniform), {{"count", references.uniform.size()}}},
                          bounds_of(references.uniform), references));
}

/// The share of the same combinations that the concatenation of their rows identifies: addition can lose no more.
void add_identified(const Rates& rates, Numbers& numbers) {
  const size_t count = rates.items.size();
  const auto share = [&](size_t some) { return static_cast<double>(some) / static_cast<double>(count); };
  numbers.add(NumberBuilder(kIdentified, share(rates.identified), {{"count", count}})
                  .interval(exact_proportion(rates.identified, count))
                  .null(share(rates.identified_of_null), localize("decoding.beside.equal_positions"))
                  .control(share(rates.identified_of_control), localize("decoding.beside.gaussian_two")));
}

/// The same without the special tokens, whose sums are always the same ones.
void add_ordinary(const Subject& subject, const Rates& rates, Numbers& numbers) {
  std::set<Index> special;
  for (const auto& sentence : subject.corpus.sentences) {
    for (size_t i = 0; i < sentence.ids.size(); ++i) {
      if (sentence.special[i] != 0) special.insert(sentence.ids[i]);
    }
  }
  const auto add = [&](const char* form, const Decoding& decoding, const ReferenceDecodings& references) {
    std::vector<Decoded> ordinary;
    const auto all = decoding.of(kUndisturbed);
    for (size_t i = 0; i < all.size(); ++i) {
      if (!special.contains(rates.items[i].token)) ordinary.push_back(all[i]);
    }
    if (ordinary.empty()) return;
    const FormatArgs args{{"seen", localize(std::string("decoding.from.") + form)}, {"count", ordinary.size()}};
    numbers.add(with_bounds({kOrdinary, form, exact_rate(ordinary), args}, bounds_of(ordinary), references));
  };
  add("sum", rates.sum, rates.sum_references);
  add("normalised", rates.normalised, rates.normalised_references);
}

Figure noise_figure(const Rates& rates) {
  using namespace chart;
  const auto text = [](const char* of_what) {
    return localize(std::string("decoding.figures.decoding-noise.") + of_what);
  };
  const auto& [token, position, segment] = series_of_parts();
  const Series all{text("all"), {.colour = "@ink", .shape = "diamond"}};
  const std::vector<Series> series{all, token, position, segment};
  std::vector<LocalizedText> disturbance;
  std::vector<double> rate;
  std::vector<LocalizedText> what;
  std::vector<LocalizedText> where;
  const auto add = [&](const Decoding& decoding, const LocalizedText& seen) {
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
  const auto seen_in = words_of_seen();
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

Findings run_decoding(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  auto lacking = lacks_sum(subject);
  if (!lacking && corpus_items(subject).items.empty()) lacking = localize("decoding.no_corpus");
  if (lacking) {
    findings.gaps["3.1"] = *lacking;
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(localize("decoding.left_out", {{"few", kQuick.noisy},
                                                               {"many", kFull.noisy},
                                                               {"few_beside", kQuick.noisy_references},
                                                               {"many_beside", kFull.noisy_references},
                                                               {"few_random", kQuick.random},
                                                               {"many_random", kFull.random}}));
    if (sample_count(subject, conditions) < kSamples) {
      findings.left_out.push_back(localize("decoding.too_few", {{"few", kQuickSamples}, {"many", kSamples}}));
    }
  }
  const FirstNorm norm = first_norm(subject);
  const Rates rates = rates_of(subject, norm, conditions);
  conditions.progress(0.8);
  Numbers& numbers = findings.numbers["3.1"];
  add_rates(rates.sum, rates.sum_references, kSum, subject.tokens.cols(), numbers);
  add_rates(rates.normalised, rates.normalised_references, kNormalised, subject.tokens.cols(), numbers);
  add_identified(rates, numbers);
  add_ordinary(subject, rates, numbers);
  RandomStream stream(conditions.seed, "decoding: projection");
  const auto items = drawn_items(corpus_items(subject), 20, stream);
  const Projection map = Projection::drawn(subject.tokens.cols(), stream);
  const Projection swapped{map.position, map.token, map.segment};
  const Projection identity = Projection::identity(subject.tokens.cols());
  numbers.add(
      NumberBuilder(kFold, fold_difference(subject, items, map, map))
          .null(fold_difference(subject, items, map, swapped), localize("decoding.beside.wrong_maps"))
          .control(fold_difference(subject, items, identity, identity), localize("decoding.beside.identities")));
  findings.figures.push_back(noise_figure(rates));
  findings.figures.push_back(capacity_figure(size_of(conditions).random, conditions, numbers));
  findings.remarks.push_back(localize("decoding.searched", {{"tokens", rates.tokens},
                                                            {"positions", subject.positions.rows()},
                                                            {"segments", subject.segments.rows()},
                                                            {"beside", kReferenceTokens}}));
  conditions.progress(1);
  return findings;
}

/// What the rule says of four rates by their bounds: from the sum and
/// normalised, as they are and in bf16.
Observation lost(const std::array<Interval, 4>& bounds) {
  const auto& [sum, normalised, sum_bf16, normalised_bf16] = bounds;
  if (std::ranges::min(bounds, {}, &Interval::low).low >= kAllDecoded) return Observation::fails;
  return std::min(sum.high, normalised.high) < kLost ? Observation::holds : Observation::cannot_be_told;
}

/// The bounds that decide. @param of  from a number to what is judged of it:
/// its own, its null's, its control's
template <class Of>
std::array<Interval, 4> deciding(const Numbers& numbers, const Of& of) {
  return {of(numbers.at(kSum.rate(kUndisturbed))), of(numbers.at(kNormalised.rate(kUndisturbed))),
          of(numbers.at(kSum.rate(kBf16))), of(numbers.at(kNormalised.rate(kBf16)))};
}

/// Name of the deciding rate: if the claim holds, whichever of sum and normalised has the lower upper bound; else the
/// one with the least lower bound.
std::string deciding_rate(const Numbers& numbers, Observation observation) {
  const auto bounds = deciding(numbers, [](const Number& number) { return *number.interval; });
  const std::array names{kSum.rate(kUndisturbed), kNormalised.rate(kUndisturbed), kSum.rate(kBf16),
                         kNormalised.rate(kBf16)};
  if (observation == Observation::holds) return names[bounds[1].high < bounds[0].high ? 1 : 0];
  const auto* least = std::ranges::min_element(bounds, {}, &Interval::low);
  return names[static_cast<size_t>(least - bounds.begin())];
}

/// Whether the concatenated rows identify the combinations: what they do not identify, no addition has lost.
bool concatenation_identifies(const Numbers& numbers) {
  return numbers.value(kIdentified) >= kAllDecoded;
}

/// Whether all that was drawn is found, as a verdict asks, and only too few were drawn for the bounds to say so.
bool too_few_drawn(const Numbers& numbers) {
  const auto own = deciding(numbers, [](const Number& number) { return *number.interval; });
  const auto rates = deciding(numbers, [](const Number& number) { return Interval{number.value, number.value}; });
  return lost(rates) == Observation::fails && lost(own) == Observation::cannot_be_told;
}

bool folds(const Numbers& numbers) {
  return numbers.value(kFold) <= kFoldRounding && numbers.null(kFold) > kWrongFold;
}

Verdict judge_decoding(const Numbers& numbers) {
  const auto own = deciding(numbers, [](const Number& number) { return *number.interval; });
  const auto null = deciding(numbers, [](const Number& number) { return *number.null->interval; });
  const auto control = deciding(numbers, [](const Number& number) { return *number.control->interval; });
  const bool null_is_lost = std::ranges::all_of(null, [](const Interval& one) { return one.high < kLost; });
  Verdict verdict;
  verdict.observation = observation_if(null_is_lost && lost(control) == Observation::fails, lost(own));
  verdict.number = deciding_rate(numbers, verdict.observation);
  if (verdict.observation == Observation::holds && !concatenation_identifies(numbers)) {
    verdict.observation = Observation::cannot_be_told;
    verdict.number = kIdentified.name;
  }
  verdict.inference = folds(numbers) ? Inference::does_not_follow : Inference::not_tested;
  const FormatArgs measured{
      {"sum", 100 * numbers.value(kSum.rate(kUndisturbed))},
      {"sum_low", 100 * own[0].low},
      {"normalised", 100 * numbers.value(kNormalised.rate(kUndisturbed))},
      {"normalised_low", 100 * own[1].low},
      {"sum_bf16", 100 * numbers.value(kSum.rate(kBf16))},
      {"normalised_bf16", 100 * numbers.value(kNormalised.rate(kBf16))},
      {"percent", kNoisePercents[kNoise10 - kFirstNoise]},
      {"noisy", 100 * numbers.value(kNormalised.rate(kNoise10))},
      {"fold", numbers.value(kFold)},
      {"told", concatenation_identifies(numbers)
                   ? LocalizedText{}
                   : localize("decoding.reason_told", {{"percent", 100 * numbers.value(kIdentified)}})},
      {"few", too_few_drawn(numbers) ? localize("decoding.reason_few", {{"many", kSamples}}) : LocalizedText{}}};
  verdict.reason = localize("decoding.reason", measured);
  return verdict;
}

LocalizedText answer_decoding(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("3.1")) return gap_answer(findings.gaps.at("3.1"));
  const Numbers& numbers = findings.numbers.at("3.1");
  const auto percent_of = [&](size_t disturbance) { return 100 * numbers.value(kNormalised.rate(disturbance)); };
  // Few sums were drawn: each share has its exact bounds.
  const auto bounds_of = [&](size_t disturbance) {
    const Interval& bounds = numbers.at(kNormalised.rate(disturbance)).interval.value();
    return fmt::format("[{:.3g}, {:.3g}]", HalfAwayFromZero{100 * bounds.low}, HalfAwayFromZero{100 * bounds.high});
  };
  const auto seen = verdicts.at("3.1").observation;
  const char* headline = seen == Observation::fails   ? "decoding.headlines.nothing"
                         : seen == Observation::holds ? "decoding.headlines.much"
                         : too_few_drawn(numbers)     ? "decoding.headlines.few"
                                                      : "decoding.headlines.open";
  return localize("decoding.answer", {{"headline", localize(headline)},
                                      {"exact", percent_of(kUndisturbed)},
                                      {"exact_bounds", bounds_of(kUndisturbed)},
                                      {"bf16", percent_of(kBf16)},
                                      {"some", kNoisePercents[kNoise10 - kFirstNoise]},
                                      {"with_some", percent_of(kNoise10)},
                                      {"some_bounds", bounds_of(kNoise10)},
                                      {"much", kNoisePercents[kNoise30 - kFirstNoise]},
                                      {"with_much", percent_of(kNoise30)},
                                      {"much_bounds", bounds_of(kNoise30)},
                                      {"fold", folds(numbers) ? localize("decoding.answer_folds") : LocalizedText{}}});
}

}  // namespace
}  // namespace decoding

Experiment decoding_experiment() {
  using namespace decoding;
  Experiment experiment = described_experiment("decoding", settings());
  experiment.effort = 40;
  experiment.rules = {
      described_rule("decoding", "3.1", judge_decoding, settings(), {.kind = Kind::data, .claim = "3.1"})};
  experiment.run = run_decoding;
  experiment.answer = answer_decoding;
  return experiment;
}

}  // namespace summand::lab
