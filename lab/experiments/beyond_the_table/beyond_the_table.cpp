// Q3: is the limit on a text's length its tables', and is it hard?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/beyond_the_table/table_limits.hpp"
#include "lab/experiments/beyond_the_table/window_figures.hpp"
#include "lab/experiments/beyond_the_table/window_numbers.hpp"
#include "lab/experiments/beyond_the_table/window_runs.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/long_positions.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/embedding_tensors.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace beyond_the_table {
namespace {

using Eigen::Index;

constexpr Index kLeastBlockRows = 16;  // four blocks of four positions
constexpr Index kManyRows = 1024;      // attention over twice as many costs more than the rest: fewer texts
constexpr double kMostKept = 0.8;      // of the way from noise to the table: what is lost is a quarter of what is kept
constexpr double kLostBeyond = 0.5;
constexpr size_t kTexts = 6;  // of twice the table's length
constexpr size_t kFewerTexts = 2;
constexpr size_t kFarTexts = 2;  // of three times its length
constexpr size_t kResamplings = 1000;
constexpr size_t kFewerResamplings = 200;

constexpr NumberName kLongestText{"beyond_the_table", "longest_text"};
constexpr NumberName kPositionRows{"beyond_the_table", "position_rows"};
constexpr NumberName kMostSegments{"beyond_the_table", "most_segments"};
constexpr NumberName kSegmentRows{"beyond_the_table", "segment_rows"};

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"first_share", kHierarchicalPercents[0] / 100.0},
          {"second_share", kHierarchicalPercents[1] / 100.0},
          {"third_share", kHierarchicalPercents[2] / 100.0},
          {"places", kReferencePlaces},
          {"kept", kMostKept},
          {"lost", kLostBeyond},
          {"apart", kLeastApart},
          {"loss_apart", kLeastLossApart}};
}

/// The model with other numbers of rows: its first ones, or its last again and again.
engine::Engine with_rows(const Subject& subject, Index positions, Index segments, int threads) {
  const auto rows_of = [](const Table& table, Index rows) {
    Table other(rows, table.cols());
    for (Index row = 0; row < rows; ++row) other.row(row) = table.row(std::min(row, table.rows() - 1));
    return other;
  };
  auto model = changed_model(subject);
  model.replace_positions(rows_of(subject.positions, positions));
  model.config.type_vocab_size = segments;
  model.replace(kSegmentTable, rows_of(subject.segments, segments));
  return model.engine(threads);
}

void measure_limits(const Subject& subject, int threads, Findings& findings) {
  const Index rows = subject.positions.rows();
  const Index segments = subject.model->config().type_vocab_size;  // of the table, whatever texts get
  const auto most = static_cast<size_t>(4 * rows + 16);
  const auto own = table_limits(subject.model->engine(), most);
  const auto longer = table_limits(with_rows(subject, 2 * rows, segments + 1, threads), most);
  const auto shorter = table_limits(with_rows(subject, rows / 2, 1, threads), most);
  const LocalizedText of_longer = localize("beyond_the_table.beside.more_rows");
  const LocalizedText of_shorter = localize("beyond_the_table.beside.fewer_rows");
  const auto add = [&](const NumberName& name, std::array<double, 3> values) {
    findings.numbers["Q3"].add(
        NumberBuilder(name, values[0]).null(values[1], of_longer).control(values[2], of_shorter));
  };
  const auto number = [](auto value) { return static_cast<double>(value); };
  add(kLongestText, {number(own.positions), number(longer.positions), number(shorter.positions)});
  add(kPositionRows, {number(rows), number(2 * rows), number(rows / 2)});
  add(kMostSegments, {number(own.segments), number(longer.segments), number(shorter.segments)});
  add(kSegmentRows, {number(segments), number(segments + 1), 1});
  findings.remarks.push_back(localize("beyond_the_table.remarks.refused",
                                      {{"position", own.refused_position}, {"segment", own.refused_segment}}));
}

/// What the tokenizer makes of a text longer than the table.
void say_what_the_tokenizer_does(const Subject& subject, Findings& findings) {
  const size_t limit = subject.model->position_limit();
  std::string text;
  for (size_t i = 0; i < 2 * limit; ++i) text += "a ";
  const text::InputRecord record(text);
  const auto cut = subject.model->encode(record, {}, limit);
  std::string refused = "-";
  try {
    (void)subject.model->encode(record, {.truncation = Truncation::none}, limit);
  } catch (const TextError& error) {
    refused = error.what();
  }
  findings.remarks.push_back(
      localize("beyond_the_table.remarks.tokenizer",
               {{"words", 2 * limit}, {"kept", cut.ids.size()}, {"cut", cut.cut}, {"refused", refused}}));
}

/// How long further rows are about the table's mean row, in units of the table's own; medians.
void say_how_long_the_rows_are(const Table& table, uint64_t seed, Findings& findings) {
  const auto length = [&](const Table& rows) {
    const Vector norms = (rows.rowwise() - column_means(table).transpose()).rowwise().norm();
    return median(elements(norms));
  };
  LocalizedText lengths;
  for (const auto& longer : longer_tables(table, static_cast<size_t>(2 * table.rows()), seed)) {
    const double ratio = length(longer.rows.bottomRows(table.rows())) / length(table);
    const FormatArgs args{{"before", lengths}, {"way", longer.series.words}, {"length", ratio}};
    lengths =
        localize(lengths.en.empty() ? "beyond_the_table.remarks.length" : "beyond_the_table.remarks.and_length", args);
  }
  findings.remarks.push_back(localize("beyond_the_table.remarks.lengths", {{"lengths", lengths}}));
}

enum class WholeTexts { leave_out, run };

/// Long texts under every table: what became of their windows.
WindowsMeasured measure_windows(const Subject& subject, const Conditions& conditions, const LongTextsChoice& choice,
                                WholeTexts whole) {
  const int threads = thread_count(conditions);
  const auto texts = long_texts(subject, choice, conditions.seed);
  const Table positions = seen_positions(subject);
  const auto base = engine_with_positions(subject, positions, threads);
  const WindowsInTable in_table(base, texts);
  WindowsMeasured measured{
      .windows = texts.windows, .width = texts.width, .tables = {}, .scores = {}, .whole = {}, .within = {}};
  measured.within = in_table.scores(base, Surroundings::within_table);
  for (auto& table : longer_tables(positions, choice.length, conditions.seed)) {
    const auto engine = engine_with_positions(subject, table.rows, threads);
    // Within the table a way that keeps its rows is the model as it is; the last block reaches over its end.
    const size_t first = table.rows.topRows(positions.rows()) == positions ? kBlocksOfTable - 1 : 0;
    measured.scores.push_back(in_table.scores(engine, Surroundings::own_place, first, measured.within));
    if (whole == WholeTexts::run) measured.whole.push_back(in_table.scores(engine, Surroundings::whole_text));
    table.rows.resize(0, 0);
    measured.tables.push_back(std::move(table));
  }
  return measured;
}

/// Whether noise and the table differ enough for a part of that to be kept: both are the same beside every way.
bool are_apart(const Numbers& numbers) {
  return find_number(numbers, kKept.of(kWaysBeyond.front())) != nullptr;
}

void measure_lengths_beyond_the_table(const Subject& subject, const Conditions& conditions, Findings& findings) {
  const auto rows = static_cast<size_t>(subject.positions.rows());
  const bool fewer = conditions.quick || subject.positions.rows() > kManyRows;
  const size_t texts = fewer ? kFewerTexts : kTexts;
  const auto choice = [&](size_t times, size_t count, size_t first_block) {
    return LongTextsChoice{.texts = count,
                           .length = times * rows,
                           .first_block = first_block,
                           .name = fmt::format("positions beyond the table: texts, {} times", times)};
  };
  const Draws draws{.seed = conditions.seed,
                    .name = "positions beyond the table",
                    .count = conditions.quick ? kFewerResamplings : kResamplings,
                    .threads = thread_count(conditions)};
  const auto twice =
      measure_windows(subject, conditions, choice(2, texts, 0), fewer ? WholeTexts::leave_out : WholeTexts::run);
  conditions.progress(0.9);
  auto lacking = lacks_masked_language(subject);
  if (!lacking) lacking = too_few(masked_windows(twice, rows), localize("beyond_the_table.masked_windows"));
  if (lacking) findings.remarks.push_back(localize("beyond_the_table.remarks.no_accuracy", {{"why", *lacking}}));
  const auto head = lacking ? HeadScores::absent : HeadScores::present;
  Numbers& numbers = findings.numbers["Q3"];
  add_window_numbers(twice, {.first_position = rows, .beyond = Beyond::the_table, .head = head}, draws, numbers);
  findings.figures.push_back(windows_figure(twice, rows));
  if (are_apart(numbers)) findings.figures.push_back(kept_figure(numbers, twice.tables));
  if (head == HeadScores::present) findings.figures.push_back(masked_figure(twice, rows));
  if (conditions.quick) {
    findings.left_out.push_back(
        localize("beyond_the_table.left_out.resamplings", {{"few", kFewerResamplings}, {"many", kResamplings}}));
  }
  if (fewer) {
    findings.left_out.push_back(localize("beyond_the_table.left_out.texts", {{"few", texts}, {"many", kTexts}}));
    return;
  }
  const auto thrice =
      measure_windows(subject, conditions, choice(3, kFarTexts, 2 * kBlocksOfTable), WholeTexts::leave_out);
  add_window_numbers(thrice,
                     {.first_position = 2 * rows, .beyond = Beyond::twice_the_table, .head = HeadScores::absent}, draws,
                     numbers);
}

Findings run_beyond_the_table(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model) {
    findings.gaps["Q3"] = localize("beyond_the_table.gaps.no_model");
    return findings;
  }
  if (subject.positions.rows() < kLeastBlockRows ||
      texts_of_length(subject, 1, std::numeric_limits<size_t>::max()).empty()) {
    findings.gaps["Q3"] = localize("beyond_the_table.gaps.few_rows", {{"rows", kLeastBlockRows}});
    return findings;
  }
  measure_limits(subject, thread_count(conditions), findings);
  say_what_the_tokenizer_does(subject, findings);
  conditions.progress(0.1);
  measure_lengths_beyond_the_table(subject, conditions, findings);
  say_how_long_the_rows_are(seen_positions(subject), conditions.seed, findings);
  const auto rows = static_cast<size_t>(subject.positions.rows());
  findings.remarks.push_back(
      localize("beyond_the_table.remarks.hierarchical", {{"rows", rows}, {"square", rows * rows}}));
  findings.remarks.push_back(localize("beyond_the_table.remarks.long_texts"));
  conditions.progress(1);
  return findings;
}

/// What a way keeps of windows beyond the table with half a table of text about them, by their vectors; and by the loss
/// on masked words, where a head tells noise from the table.
struct KeptBeyond {
  Interval least;  ///< the lower of both at either end
  Interval most;   ///< the higher
};

KeptBeyond kept_by(const Numbers& numbers, const std::string& way) {
  const Interval kept = numbers.at(kKept.of(way)).interval.value();
  if (find_number(numbers, kKeptLoss.of(way)) == nullptr) return {.least = kept, .most = kept};
  const Interval other = numbers.at(kKeptLoss.of(way)).interval.value();
  return {.least = {.low = std::min(kept.low, other.low), .high = std::min(kept.high, other.high)},
          .most = {.low = std::max(kept.low, other.low), .high = std::max(kept.high, other.high)}};
}

/// What keeps most of a window with half a table of text about it.
std::string best_way(const Numbers& numbers) {
  return *std::ranges::max_element(kWaysBeyond, {},
                                   [&](const std::string& way) { return numbers.value(kTokens.of(way)); });
}

/// Whether rows can be made for positions that have none. The document does not say that they cannot.
enum class RowsCanBeMade { yes, no, not_told };

RowsCanBeMade rows_can_be_made(const Numbers& numbers) {
  if (!are_apart(numbers)) return RowsCanBeMade::not_told;
  const auto keeps = [&](const std::string& way) {
    const Number* whole = find_number(numbers, kKeptText.of(way));
    return whole != nullptr && std::min(whole->interval->low, kept_by(numbers, way).least.low) >= kMostKept;
  };
  const auto loses = [&](const std::string& way) { return kept_by(numbers, way).most.high < kLostBeyond; };
  if (std::ranges::any_of(kWaysBeyond, keeps)) return RowsCanBeMade::yes;
  return std::ranges::all_of(kWaysBeyond, loses) ? RowsCanBeMade::no : RowsCanBeMade::not_told;
}

/// What the reason and the answer say.
FormatArgs said(const Numbers& numbers) {
  const std::string best = best_way(numbers);
  FormatArgs args{{"positions", numbers.value(kLongestText)},
                  {"position_rows", numbers.value(kPositionRows)},
                  {"segments", numbers.value(kMostSegments)},
                  {"segment_rows", numbers.value(kSegmentRows)},
                  {"way", label_of_way(best)},
                  {"apart", kLeastApart},
                  {"noise", numbers.null(kTokens.of(best))},
                  {"table", numbers.control(kTokens.of(best))}};
  if (are_apart(numbers)) {
    const Number& kept = numbers.at(kKept.of(best));
    args.emplace_back("kept", kept.value);
    args.emplace_back("kept_percent", 100 * kept.value);
    args.emplace_back("low", kept.interval->low);
    args.emplace_back("high", kept.interval->high);
    LocalizedText in_whole, answer_in_whole;
    if (const Number* whole = find_number(numbers, kKeptText.of(best))) {
      in_whole = localize(
          "beyond_the_table.in_whole",
          {{"whole", whole->value}, {"whole_low", whole->interval->low}, {"whole_high", whole->interval->high}});
      answer_in_whole = localize("beyond_the_table.answer_in_whole", {{"whole_percent", 100 * whole->value}});
    }
    args.emplace_back("in_whole", in_whole);
    args.emplace_back("in_whole_percent", answer_in_whole);
  }
  args.emplace_back(
      "beyond",
      localize(are_apart(numbers) ? "beyond_the_table.beyond.best" : "beyond_the_table.beyond.not_apart", args));
  return args;
}

Verdict judge_beyond_the_table(const Numbers& numbers) {
  Verdict verdict;
  const auto at_rows = [&](const NumberName& taken, const NumberName& rows) {
    return numbers.null(taken) == numbers.null(rows) && numbers.control(taken) == numbers.control(rows);
  };
  const bool told = at_rows(kLongestText, kPositionRows) && at_rows(kMostSegments, kSegmentRows);
  const bool own = numbers.value(kLongestText) == numbers.value(kPositionRows) &&
                   numbers.value(kMostSegments) == numbers.value(kSegmentRows);
  verdict.number = deciding_number(
      {{kLongestText, numbers.value(kLongestText) == numbers.value(kPositionRows)}, {kMostSegments, own}});
  if (!told) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = own ? Observation::holds : Observation::fails;
    verdict.inference = own ? Inference::follows : Inference::does_not_follow;
  }
  verdict.reason = localize("beyond_the_table.reason", said(numbers));
  return verdict;
}

LocalizedText answer_beyond_the_table(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q3")) return gap_answer(findings.gaps.at("Q3"));
  const Numbers& numbers = findings.numbers.at("Q3");
  const Observation observation = verdicts.at("Q3").observation;
  const RowsCanBeMade made = rows_can_be_made(numbers);
  FormatArgs args = said(numbers);
  const auto add = [&](const char* place, const char* text) {
    args.emplace_back(place, localize(std::string("beyond_the_table.answers.") + text, args));
  };
  add("limit", observation == Observation::holds   ? "tables_end_there"
               : observation == Observation::fails ? "other_limit"
                                                   : "limit_not_told");
  add("made", made == RowsCanBeMade::yes ? "rows_can_be_made" : made == RowsCanBeMade::no ? "no_way_works" : "open");
  add("best", are_apart(numbers) ? "best" : "not_apart");
  return localize("beyond_the_table.answer", args);
}

}  // namespace
}  // namespace beyond_the_table

Experiment beyond_the_table_experiment() {
  using namespace beyond_the_table;
  Experiment experiment = described_experiment("beyond_the_table", settings());
  experiment.effort = 30;
  experiment.rules = {described_rule("beyond_the_table", "Q3", judge_beyond_the_table, settings(),
                                     {.kind = Kind::code, .claim = "Q3"})};
  experiment.run = run_beyond_the_table;
  experiment.answer = answer_beyond_the_table;
  return experiment;
}

}  // namespace summand::lab
