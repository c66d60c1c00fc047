// 4.10: which components, and which periods, of the position table does the model use, and how many are enough?
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/removed_components/piece_bench.hpp"
#include "lab/experiments/removed_components/piece_figures.hpp"
#include "lab/experiments/removed_components/piece_numbers.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace removed_components {
namespace {

constexpr double kEnough = 0.95;        // of what all components do: what a reader would call the same output
constexpr size_t kFew = 16;             // components: what "the first few dimensions" may be at most, and
constexpr size_t kFewOfDimensions = 8;  // … no more than one of so many
constexpr double kLeastEffect = 1e-6;   // of all positions, on 1 − cosine: below it there is nothing to keep
constexpr size_t kShortestMasked = 4;   // tokens
constexpr size_t kLeastPositions = 8;   // for bands
constexpr size_t kLeastOrdinary = 6;    // rows that are not kept
constexpr size_t kLeastComponents = 4;

constexpr NumberName kKeptBy{"removed_components", "kept_by"};
constexpr const char* kFewMember = "few";  // of that family
constexpr NumberName kFewComponents{"removed_components", "few_components"};
constexpr NumberName kKeptByFewOfAll{"removed_components", "kept_by_few_of_all"};
constexpr NumberName kKeptByFewForWords{"removed_components", "kept_by_few_for_words"};
constexpr NumberName kRow0Alone{"removed_components", "row_0_alone"};
constexpr NumberName kEnoughOfAll{"removed_components", "enough_of_all"};
constexpr NumberName kVarianceOfEnough{"removed_components", "variance_of_enough"};
constexpr NumberName kKeptByFirstCoordinates{"removed_components", "kept_by_first_coordinates"};
constexpr NumberName kKeptInUseByFew{"removed_components", "kept_in_use_by_few"};
constexpr NumberName kEnoughComponents{"removed_components", "enough"};
constexpr NumberName kToldApartBy{"removed_components", "told_apart_by"};
constexpr NumberName kKeptByTellingApart{"removed_components", "kept_by_telling_apart"};
constexpr NumberName kFewStates{"removed_components", "few_states"};
constexpr NumberName kFewLoss{"removed_components", "few_loss"};
constexpr NumberName kKeptOfLoss{"removed_components", "few_kept_of_loss"};
constexpr NumberName kApartOfLoss{"removed_components", "apart_kept_of_loss"};

constexpr std::array<size_t, 13> kCounts{1, 2, 4, 6, 8, 10, 12, 14, 16, 24, 32, 64, 128};
constexpr std::array<size_t, 5> kFewCounts{1, 4, 8, 16, 64};
constexpr size_t kEach = 4;  // of these one in so many is tried on null and control too

/// How much is measured.
struct Size {
  size_t texts = 24;
  size_t longest = 64;  ///< tokens
  size_t components = 24;
  size_t resamplings = 500;
  std::span<const size_t> kept = kCounts;
};
constexpr Size kFull{};
constexpr Size kQuick{.texts = 6, .longest = 24, .components = 6, .resamplings = 100, .kept = kFewCounts};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"few", kFew},
          {"part", kFewOfDimensions},
          {"enough", kEnough},
          {"told_apart", 100 * kToldApart},
          {"shortest", kShortestMasked}};
}

size_t few_of(const PieceBench& bench) {
  return std::clamp<size_t>(static_cast<size_t>(bench.pieces().table().cols()) / kFewOfDimensions, 1, kFew);
}

/// Row 0, where [CLS] alone stands, and the rows that stand out.
std::vector<size_t> standing_rows(const Table& positions) {
  auto rows = outlying_rows(positions);
  if (rows.empty() || rows.front() != 0) rows.insert(rows.begin(), 0);
  return rows;
}

/// The checkpoint's table, one that needs every dimension, and one that has half as many as are few: row 0 and the rows
/// that stand out kept in all three. And the checkpoint's with no row kept.
struct Benches {
  std::vector<size_t> kept;
  PieceBench own, white, narrow, all_rows;

  Benches(const Subject& subject, const Conditions& conditions, const Texts& texts, const Draws& draws)
      : kept(standing_rows(seen_positions(subject))),
        own(subject, conditions, {seen_positions(subject), kept}, texts, draws),
        white(subject, conditions, {noise(seen_positions(subject), kept, conditions), kept}, texts, draws),
        narrow(subject, conditions, {own.pieces().first_components(std::max<size_t>(1, few_of(own) / 2)), kept}, texts,
               draws),
        all_rows(subject, conditions, {seen_positions(subject), {}}, texts, draws) {}

  /// As large as the rows' deviations, around their mean; kept rows as they are.
  static Table noise(const Table& positions, const std::vector<size_t>& kept, const Conditions& conditions) {
    RandomStream stream(conditions.seed, "removed components: noise");
    const Table ordinary = without_rows(positions, kept);
    const Table around = centred(ordinary);
    Table rows = white_noise({static_cast<size_t>(positions.rows()), static_cast<size_t>(positions.cols())}, stream);
    rows *= around.norm() / centred(without_rows(rows, kept)).norm();
    rows.rowwise() += column_means(ordinary).transpose();
    for (const size_t row : kept)
      rows.row(static_cast<Eigen::Index>(row)) = positions.row(static_cast<Eigen::Index>(row));
    return rows;
  }
};

size_t told_apart_by(const PieceBench& bench, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "removed components: told apart");
  return bench.pieces().telling_apart(stream);
}

/// The least count that keeps enough, looked for one by one below the first of these that does; all components if none
/// does.
size_t enough_of(const PieceBench& bench, std::span<const size_t> tried) {
  size_t below = 0;
  for (const size_t count : tried) {
    if (count >= bench.pieces().components()) break;
    if (bench.kept_by(count).value < kEnough) {
      below = count;
      continue;
    }
    for (size_t least = below + 1; least < count; ++least) {
      if (bench.kept_by(least).value >= kEnough) return least;
    }
    return count;
  }
  return bench.pieces().components();
}

/// Of a table with no row kept, beside the three with rows kept.
void add_of_all_rows(const Benches& benches, size_t few, std::span<const size_t> tried, Numbers& numbers) {
  const PieceBench& all = benches.all_rows;
  const LocalizedText none = localize("removed_components.beside.all");
  const LocalizedText every = localize("removed_components.beside.nothing_removed");
  const Kept by_few = all.kept_by(few);
  numbers.add(NumberBuilder(kKeptByFewOfAll, by_few, {{"count", few}})
                  .null(all.kept_by(0).value, none)
                  .control(all.kept(all.pieces().table()).value, every));
  numbers.add(
      NumberBuilder(kEnoughOfAll, static_cast<double>(enough_of(all, tried)), settings())
          .null(static_cast<double>(enough_of(benches.white, tried)), localize("removed_components.beside.white"))
          .control(
              static_cast<double>(enough_of(benches.narrow, tried)),
              localize("removed_components.beside.narrow", {{"components", benches.narrow.pieces().components()}})));
  // The rows that are kept, and nothing else, beside what all rows do.
  Table alone = all.pieces().first_components(0);
  for (const size_t row : benches.kept) {
    alone.row(static_cast<Eigen::Index>(row)) = all.pieces().table().row(static_cast<Eigen::Index>(row));
  }
  const Kept kept_alone = all.kept(alone);
  numbers.add(NumberBuilder(kRow0Alone, kept_alone, {{"rows", list_of(benches.kept)}})
                  .null(all.kept_by(0).value, none)
                  .control(all.kept(all.pieces().table()).value, every));
}

void measure_kept(const Benches& benches, const Conditions& conditions, Findings& findings) {
  const Size size = size_of(conditions);
  const size_t few = few_of(benches.own);
  const NumberAdder add(
      findings.numbers["4.10"], benches.own, {benches.white, localize("removed_components.beside.white")},
      {benches.narrow,
       localize("removed_components.beside.narrow", {{"components", benches.narrow.pieces().components()}})});
  const auto add_kept_by = [&](const std::string& member, size_t count) {
    add(kKeptBy, member, {{"count", count}}, [count](const PieceBench& bench) { return bench.kept_by(count); });
  };
  const FormatArgs of_few{{"count", few}};
  add_kept_by(kFewMember, few);
  const auto line = [](const char* name) {
    return localize(std::string("removed_components.figures.kept-components.") + name);
  };
  std::vector<KeptPoint> points;
  for (size_t i = 0; i < size.kept.size(); ++i) {
    const size_t count = size.kept[i];
    if (count >= benches.own.pieces().components()) break;
    points.push_back({line("own"), count, benches.own.kept_by(count).value});
    points.push_back({line("all_rows"), count, benches.all_rows.kept_by(count).value});
    if (i % kEach != 0) continue;
    if (count != few) add_kept_by(std::to_string(count), count);
    points.push_back({line("white"), count, benches.white.kept_by(count).value});
    points.push_back({line("narrow"), count, benches.narrow.kept_by(count).value});
  }
  add(kFewComponents, [few](const PieceBench&) { return static_cast<double>(few); });
  add(kKeptByFewForWords, of_few, [few](const PieceBench& bench) { return bench.kept_for_words(few); });
  add_of_all_rows(benches, few, size.kept, findings.numbers["4.10"]);
  add(kKeptByFirstCoordinates, of_few,
      [few](const PieceBench& bench) { return bench.kept(bench.pieces().first_coordinates(few)); });
  add(kKeptInUseByFew, of_few, [few](const PieceBench& bench) { return bench.kept_in_use(few); });
  add(kEnoughComponents, settings(),
      [&](const PieceBench& bench) { return static_cast<double>(enough_of(bench, size.kept)); });
  add(kVarianceOfEnough, settings(),
      [&](const PieceBench& bench) { return bench.pieces().share_of_first(enough_of(bench, size.kept)); });
  add(kToldApartBy, settings(),
      [&](const PieceBench& bench) { return static_cast<double>(told_apart_by(bench, conditions)); });
  add(kKeptByTellingApart, [&](const PieceBench& bench) { return bench.kept_by(told_apart_by(bench, conditions)); });
  const auto few_kept = [few](const PieceBench& bench) {
    return bench.change(bench.pieces().first_components(few), CompareStates::all);
  };
  add(kFewStates, of_few, [&](const PieceBench& bench) { return few_kept(bench).states.back(); });
  if (benches.own.has_loss()) {
    add(kFewLoss, of_few, [&](const PieceBench& bench) { return mean(few_kept(bench).losses); });
    if (benches.own.all_removed().losses.size() >= kLeastResampled) {
      add(kKeptOfLoss, of_few, [few](const PieceBench& bench) { return bench.kept_of_loss(few); });
      add(kApartOfLoss, [&](const PieceBench& bench) { return bench.kept_of_loss(told_apart_by(bench, conditions)); });
    }
  }
  findings.figures.push_back(kept_figure(points, kEnough));
}

void add_remarks(const Benches& benches, const Conditions& conditions, Findings& findings) {
  if (conditions.quick) {
    findings.left_out.push_back(localize("removed_components.left_out", {{"few_texts", kQuick.texts},
                                                                         {"few_tokens", kQuick.longest},
                                                                         {"few_components", kQuick.components},
                                                                         {"few_counts", kQuick.kept.size()},
                                                                         {"few_orders", kFewOrders},
                                                                         {"few_resamplings", kQuick.resamplings},
                                                                         {"texts", kFull.texts},
                                                                         {"tokens", kFull.longest},
                                                                         {"components", kFull.components},
                                                                         {"counts", kFull.kept.size()},
                                                                         {"orders", kManyOrders},
                                                                         {"resamplings", kFull.resamplings}}));
  }
  const PieceBench& bench = benches.own;
  findings.remarks.push_back(localize("removed_components.remarks.kept_rows", {{"rows", list_of(benches.kept)}}));
  findings.remarks.push_back(localize("removed_components.remarks.whole_table"));
  findings.remarks.push_back(localize("removed_components.remarks.training"));
  if (!bench.has_loss()) findings.remarks.push_back(localize("removed_components.remarks.no_loss"));
}

std::optional<LocalizedText> lacks_pieces(const Subject& subject) {
  if (auto lacking_sum = lacks_sum(subject)) return lacking_sum;
  const Table positions = seen_positions(subject);
  if (auto few = lacking(positions, kLeastPositions, 1)) return few;
  return lacking(without_rows(positions, standing_rows(positions)), kLeastOrdinary, kLeastComponents);
}

Findings run_removed_components(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Size size = size_of(conditions);
  RandomStream stream(conditions.seed, "removed components: texts");
  const Texts texts =
      texts_of(subject, {.most = size.texts, .longest = size.longest, .shortest = kShortestMasked}, stream);
  auto missing = lacks_pieces(subject);
  if (!missing) missing = too_few(texts.batch.texts(), texts_from(kShortestMasked));
  if (missing) {
    findings.gaps["4.10"] = *missing;
    return findings;
  }
  const Benches benches(subject, conditions, texts,
                        {.seed = conditions.seed,
                         .name = "removed components: bootstrap",
                         .count = size.resamplings,
                         .threads = thread_count(conditions)});
  if (mean(benches.own.all_removed().vectors) < kLeastEffect) {
    findings.gaps["4.10"] = localize("removed_components.gaps.no_effect");
    return findings;
  }
  conditions.progress(0.1);
  measure_kept(benches, conditions, findings);
  conditions.progress(0.5);
  measure_components(benches.own, size.components, conditions, findings);
  conditions.progress(0.8);
  measure_bands(benches.own, benches.all_rows, findings);
  add_remarks(benches, conditions, findings);
  conditions.progress(1);
  return findings;
}

/// What the reason and the answer say.
FormatArgs measured(const Numbers& numbers) {
  const Number& few = numbers.at(kKeptBy.of(kFewMember));
  return {{"few", numbers.value(kFewComponents)},
          {"kept", few.value},
          {"low", few.interval->low},
          {"high", few.interval->high},
          {"kept_of_all", numbers.value(kKeptByFewOfAll)},
          {"row_0", numbers.value(kRow0Alone)},
          {"told_apart", numbers.value(kToldApartBy)},
          {"kept_apart", numbers.value(kKeptByTellingApart)},
          {"enough", numbers.value(kEnoughComponents)},
          {"variance", numbers.value(kVarianceOfEnough)},
          {"bar", kEnough}};
}

Observation is_enough(const Interval& kept) {
  if (kept.low >= kEnough) return Observation::holds;
  return kept.high < kEnough ? Observation::fails : Observation::cannot_be_told;
}

/// Of sentence vectors; where there is a masked-language head, which alone reads hidden states, also of its loss: their
/// coordinates' weights are then free.
Observation is_enough_of(const Numbers& numbers, const Interval& of_vectors, const NumberName& of_loss) {
  const Observation vectors = is_enough(of_vectors);
  const Number* loss = find_number(numbers, of_loss);
  return loss == nullptr || is_enough(*loss->interval) == vectors ? vectors : Observation::cannot_be_told;
}

Verdict judge_removed_components(const Numbers& numbers) {
  const Number& few = numbers.at(kKeptBy.of(kFewMember));
  Verdict verdict;
  const bool controls_pass = controlled_interval(numbers, few.name).controls_pass(is_enough, Observation::fails);
  verdict.observation = observation_if(controls_pass, is_enough_of(numbers, *few.interval, kKeptOfLoss));
  const auto apart = is_enough_of(numbers, *numbers.at(kKeptByTellingApart).interval, kApartOfLoss);
  if (apart != Observation::cannot_be_told) {
    verdict.inference = apart == Observation::holds ? Inference::follows : Inference::does_not_follow;
  }
  verdict.reason = localize("removed_components.reason", measured(numbers));
  return verdict;
}

LocalizedText answer_removed_components(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("4.10")) return gap_answer(findings.gaps.at("4.10"));
  const auto seen = verdicts.at("4.10").observation;
  const char* verdict = seen == Observation::holds   ? "removed_components.verdicts.holds"
                        : seen == Observation::fails ? "removed_components.verdicts.fails"
                                                     : "removed_components.verdicts.cannot_be_told";
  const Numbers& numbers = findings.numbers.at("4.10");
  FormatArgs args = measured(numbers);
  args.emplace_back("verdict", localize(verdict));
  args.emplace_back("bar_percent", 100 * kEnough);
  args.emplace_back("kept_apart_percent", 100 * numbers.value(kKeptByTellingApart));
  args.emplace_back("row_0_percent", 100 * numbers.value(kRow0Alone));
  return localize("removed_components.answer", args);
}

}  // namespace
}  // namespace removed_components

Experiment removed_components_experiment() {
  using namespace removed_components;
  Experiment experiment = described_experiment("removed_components", settings());
  experiment.effort = 24;
  experiment.rules = {
      described_rule("removed_components", "4.10", judge_removed_components, settings(), {.claim = "4.10"})};
  experiment.run = run_removed_components;
  experiment.answer = answer_removed_components;
  return experiment;
}

}  // namespace summand::lab
