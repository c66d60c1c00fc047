// X3: do different heads follow different circles of the position table?
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/circle_readers/circle_losses.hpp"
#include "lab/experiments/circle_readers/circle_positions.hpp"
#include "lab/experiments/circle_readers/crossings.hpp"
#include "lab/experiments/circle_readers/offset_attention.hpp"
#include "lab/experiments/circle_readers/planted_readers.hpp"
#include "lab/experiments/circle_readers/reader_figures.hpp"
#include "lab/experiments/circle_readers/reader_numbers.hpp"
#include "lab/experiments/circle_readers/reader_runs.hpp"
#include "lab/experiments/circle_readers/windows.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace circle_readers {
namespace {

constexpr const char* kClaim = "X3";
constexpr size_t kLeastCircles = 2;
constexpr size_t kLeastHeads = 2;

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"most_circles", kMostCircles},
          {"least_circles", kLeastCircles},
          {"least_words", kLeastWords},
          {"least_windows", kLeastWindows},
          {"reach", kReach},
          {"least", kLeast},
          {"clear", kClear},
          {"cuts", kCuts},
          {"rows", circle_rule::kLeastRows}};
}

std::optional<LocalizedText> lacks_readers(const Subject& subject) {
  if (auto sum = lacks_sum(subject)) return sum;
  const auto& config = subject.model->config();
  if (config.num_hidden_layers < 1 || static_cast<size_t>(config.num_attention_heads) < kLeastHeads) {
    return localize("circle_readers.gaps.heads", {{"heads", kLeastHeads}});
  }
  return {};
}

void add_remarks(const CirclePositions& positions, const Windows& windows, const Conditions& conditions,
                 const LossChanges& losses, Findings& findings) {
  if (conditions.quick) {
    findings.left_out.push_back(localize("circle_readers.left_out", {{"few", kQuick.windows},
                                                                     {"many", kFull.windows},
                                                                     {"few_of_cuts", kQuick.windows_of_cuts},
                                                                     {"many_of_cuts", kFull.windows_of_cuts},
                                                                     {"few_resamplings", kQuick.resamplings},
                                                                     {"many_resamplings", kFull.resamplings}}));
  }
  findings.remarks.push_back(localize("circle_readers.remarks.windows", {{"windows", windows.count()},
                                                                         {"words", windows.words},
                                                                         {"few", Size::of(conditions).windows_of_cuts},
                                                                         {"cuts", kCuts}}));
  findings.remarks.push_back(localize("circle_readers.remarks.kept_rows", {{"rows", list_of(positions.kept())}}));
  findings.remarks.push_back(localize("circle_readers.remarks.later_layers"));
  if (!conditions.quick && losses.circles.empty())
    findings.remarks.push_back(localize("circle_readers.remarks.no_loss"));
}

Findings run_circle_readers(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const auto gap = [&](LocalizedText why) {
    findings.gaps[kClaim] = std::move(why);
    return findings;
  };
  if (auto lacking = lacks_readers(subject)) return gap(std::move(*lacking));
  const CirclePositions positions(seen_positions(subject));
  const auto& circles = positions.circles();
  if (circles.size() < kLeastCircles) {
    return gap(localize("circle_readers.gaps.circles", {{"circles", circles.size()}, {"least", kLeastCircles}}));
  }
  const Size size = Size::of(conditions);
  RandomStream stream(conditions.seed, "circle readers: windows");
  const Windows windows = windows_of(subject, size.windows, stream);
  if (windows.count() < kLeastWindows) return gap(localize("circle_readers.gaps.windows", settings()));
  const Draws draws{.seed = conditions.seed,
                    .name = "circle readers:",
                    .count = size.resamplings,
                    .threads = thread_count(conditions)};
  const ReaderRuns runs = reader_runs(subject, positions, windows, conditions);
  const AllReadings readings = all_readings(runs, draws);
  Numbers& numbers = findings.numbers[kClaim];
  add_crossings(readings, runs, circles, numbers);
  add_layers(runs, draws, numbers);
  add_outputs(runs, circles, draws, numbers);
  LossChanges losses;
  if (!conditions.quick) losses = loss_changes(subject, positions, windows, conditions);
  add_losses(losses, circles, draws, numbers);
  add_remarks(positions, windows, conditions, losses, findings);
  const auto& crossing = readings.circles.crossing;
  findings.figures.push_back(heads_figure(runs, circles, crossing));
  if (crossing) findings.figures.push_back(offsets_figure(runs, circles, *crossing));
  findings.figures.push_back(layers_figure(runs, circles));
  findings.figures.push_back(outputs_figure(runs, circles, draws));
  conditions.progress(1);
  return findings;
}

/// The control is heads that read one circle each, the null heads that read all circles alike.
bool controls_pass(const Numbers& numbers) {
  const Number& crossing = numbers.at(kCrossing);
  const Number& logits = numbers.at(kCrossingLogits);
  return crossing.control->interval->low >= kLeast && logits.control->interval->low > 0 &&
         crossing.null->interval->high < kLeast;
}

Observation evaluate(const Numbers& numbers) {
  if (!controls_pass(numbers)) return Observation::cannot_be_told;
  const Number& random = numbers.at(kRandomCrossing);
  const bool crosses = numbers.at(kCrossing).interval->low >= std::max(kLeast, random.interval->high) &&
                       numbers.at(kCrossingLogits).interval->low > 0;
  if (crosses) return Observation::holds;
  const bool read = numbers.at(kMostMoved).interval->low >= kClear;
  return read && numbers.value(kPossible) < std::max(kLeast, random.value) ? Observation::fails
                                                                           : Observation::cannot_be_told;
}

/// The number that decides: where it fails, what the intervals leave possible.
std::string decided_by(const Numbers& numbers, Observation observation) {
  if (observation == Observation::fails) return kPossible.name;
  const bool crosses =
      numbers.at(kCrossing).interval->low >= std::max(kLeast, numbers.at(kRandomCrossing).interval->high);
  return deciding_number({{kCrossing, crosses}, {kCrossingLogits, numbers.at(kCrossingLogits).interval->low > 0}});
}

/// Whether every circle leads some head.
Inference inferred(const Numbers& numbers) {
  bool all = true;
  for (size_t i = 1;; ++i) {
    const Number* lead = find_number(numbers, kLead.of(std::to_string(i)));
    if (lead == nullptr) break;
    if (lead->control->interval->low < kLeast) return Inference::not_tested;
    if (numbers.value(kPossibleLead.of(std::to_string(i))) < kLeast) return Inference::does_not_follow;
    all = all && lead->interval->low >= kLeast;
  }
  return all ? Inference::follows : Inference::not_tested;
}

constexpr double kMoreThanRandom = 2;  // times, from which a circle is said to matter more than a random plane

FormatArgs measured(const Numbers& numbers) {
  const Number& crossing = numbers.at(kCrossing);
  const Number& random = numbers.at(kRandomCrossing);
  return {{"crossing_percent", 100 * crossing.value},
          {"low_percent", 100 * crossing.interval->low},
          {"high_percent", 100 * crossing.interval->high},
          {"random_percent", 100 * random.value},
          {"most_random_percent", 100 * random.interval->high},
          {"possible_percent", 100 * numbers.value(kPossible)},
          {"moved_percent", 100 * numbers.value(kMostMoved)},
          {"last_percent", 100 * numbers.value(kLastLayer)},
          {"layer", numbers.value(kLayer)},
          {"slower_head", numbers.value(kSlowerHead)},
          {"faster_head", numbers.value(kFasterHead)},
          {"slower", numbers.value(kSlowerDegrees)},
          {"faster", numbers.value(kFasterDegrees)}};
}

Verdict judge_circle_readers(const Numbers& numbers) {
  Verdict verdict;
  verdict.observation = evaluate(numbers);
  verdict.number = decided_by(numbers, verdict.observation);
  if (verdict.observation == Observation::holds) verdict.inference = inferred(numbers);
  verdict.reason = localize(numbers.value(kLayer) == 0 ? "circle_readers.reason_without" : "circle_readers.reason",
                            measured(numbers));
  return verdict;
}

/// What stopping a circle does to the sentence vector, and what a random plane of its variance does.
LocalizedText words_of_outputs(const Numbers& numbers) {
  const Changes stopped = mean_changes_by_stopping(numbers);
  const bool is_alike = stopped.of_circles < kMoreThanRandom * stopped.of_random;
  return localize(is_alike ? "circle_readers.answer.outputs.alike" : "circle_readers.answer.outputs.unlike",
                  {{"stopped", stopped.of_circles}, {"random", stopped.of_random}});
}

LocalizedText answer_circle_readers(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains(kClaim)) {
    return gap_answer(findings.gaps.at(kClaim));
  }
  const Numbers& numbers = findings.numbers.at(kClaim);
  FormatArgs args = measured(numbers);
  args.emplace_back("outputs", words_of_outputs(numbers));
  switch (verdicts.at(kClaim).observation) {
    case Observation::holds:
      return localize("circle_readers.answer.holds", args);
    case Observation::fails:
      return localize("circle_readers.answer.fails", args);
    case Observation::cannot_be_told:
    case Observation::not_judged:
    case Observation::not_measured:
      break;
  }
  return localize("circle_readers.answer.not_told", args);
}

}  // namespace
}  // namespace circle_readers

Experiment circle_readers_experiment() {
  using namespace circle_readers;
  Experiment experiment = described_experiment("circle_readers", settings());
  experiment.effort = 61;
  experiment.rules = {described_rule("circle_readers", kClaim, judge_circle_readers, settings(),
                                     {.kind = Kind::data, .claim = kClaim})};
  experiment.run = run_circle_readers;
  experiment.answer = answer_circle_readers;
  return experiment;
}

}  // namespace summand::lab
