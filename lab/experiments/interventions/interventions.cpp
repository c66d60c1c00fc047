// 0.8: what the output loses when the segment or the position is taken out of the sum.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/interventions/intervention_bench.hpp"
#include "lab/experiments/interventions/intervention_figures.hpp"
#include "lab/experiments/interventions/intervention_list.hpp"
#include "lab/experiments/interventions/performance.hpp"
#include "lab/experiments/interventions/text_pairs.hpp"
#include "lab/experiments/interventions/yardstick.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/probing/pair_retrieval.hpp"
#include "lab/probing/resampled_items.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace interventions {
namespace {

constexpr double kLoses = 0.05;   // nats: a perplexity 5 % higher; less would not be called a clear loss
constexpr double kNothing = 0.1;  // of a replaced word: what changes less cannot cost any task clearly
constexpr double kClear = 1;      // of the same: the control has to change more
constexpr double kAsMuch = 1;     // as rows moved as far with nothing lost

constexpr NumberName kOrderWorth{"interventions", "position_over_word"};
constexpr NumberName kOrderWorthOfHalf{"interventions", "position_over_word_in"};  // a family: of a half of the texts
constexpr NumberName kPositionWorth{"interventions", "position_row_0_too_over_word"};
constexpr NumberName kWordOrderWorth{"interventions", "word_order_over_word"};
constexpr NumberName kOrderOverDisplaced{"interventions", "position_over_displaced"};
constexpr NumberName kSegmentWorth{"interventions", "segment_over_word"};
constexpr NumberName kSegmentLeftOutWorth{"interventions", "segment_left_out_over_word"};
constexpr NumberName kSegmentOverDisplaced{"interventions", "segment_over_displaced"};

/// What the texts say of the constants.
FormatArgs settings() {
  const InterventionSize full;
  return {{"weakest", full.strengths.front()},
          {"strongest", full.strengths.back()},
          {"loses", kLoses},
          {"nothing", kNothing},
          {"clear", kClear},
          {"as_much", kAsMuch},
          {"words", full.words},
          {"scale", kCosineScale}};
}

CompareStates compared(const std::string& name) {
  const std::array compared{std::string(kOrderAveraged), std::string(kPositionAveraged), kPositionShift.of("8"),
                            std::string(kSegmentAveraged)};
  return std::ranges::find(compared, name) != compared.end() ? CompareStates::all : CompareStates::skip;
}

const Response& named(const std::vector<Response>& responses, const NumberName& name) {
  return *std::ranges::find(responses, name.name, &Response::name);
}

/// A part that is taken out, and what its change is compared by.
struct Removal {
  NumberName removed;
  NumberName displaced;
  NumberName worth;
  NumberName over_displaced;
};
constexpr Removal kOrder{kOrderAveraged, kOrderDisplaced, kOrderWorth, kOrderOverDisplaced};
constexpr Removal kSegment{kSegmentAveraged, kSegmentDisplaced, kSegmentWorth, kSegmentOverDisplaced};

std::vector<DoseResponse> doses_of(const Subject& subject, const InterventionBench& bench,
                                   const Conditions& conditions) {
  const InterventionSize size = InterventionSize::of(conditions);
  std::vector<DoseResponse> doses;
  for (const DosedPart part : {DosedPart::position, DosedPart::token, DosedPart::segment}) {
    if (part == DosedPart::segment && subject.segments.rows() < 2) continue;
    for (const double strength : size.strengths) {
      const auto one = dosed(subject, part, strength, bench.texts());
      const auto change = bench.response(one, CompareStates::skip).change;
      doses.push_back({part, strength, mean_over_texts(change.vectors, bench.draws(one.name))});
    }
    doses.push_back({part, 1, {}});
  }
  std::ranges::stable_sort(doses, {}, &DoseResponse::strength);
  return doses;
}

/// The texts' numbers, those of the shorter half and of the longer one.
std::array<std::vector<size_t>, 2> halves_by_length(const model::Batch& batch) {
  auto order = first_numbers(batch.texts());
  std::ranges::stable_sort(order, {}, [&](size_t text) { return batch.length(text); });
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  return {std::vector<size_t>(order.begin(), middle), std::vector<size_t>(middle, order.end())};
}

/// Rows moved with nothing lost.
Response displaced(const InterventionBench& bench, const NumberName& name,
                   const std::function<Intervention(RandomStream&)>& make, size_t draws) {
  return {name.name, name.label(), mean_of(bench.changes(make, draws)), {}};
}

void add_comparisons(const InterventionBench& bench, const std::vector<Response>& responses, const Yardstick& word,
                     const ResponseNumbers& adder) {
  const auto worth = [&](const NumberName& name, const NumberName& of) {
    adder.worth(name, named(responses, of), word);
  };
  const auto over_displaced = [&](const Removal& part) {
    const Response& removed = named(responses, part.removed);
    adder.ratio(part.over_displaced, removed, named(responses, part.displaced));
    adder.accuracy(removed);
  };
  worth(kOrderWorth, kOrderAveraged);
  const auto halves = halves_by_length(bench.texts().batch);
  adder.worth(kOrderWorthOfHalf, "shorter", named(responses, kOrderAveraged), word, halves[0]);
  adder.worth(kOrderWorthOfHalf, "longer", named(responses, kOrderAveraged), word, halves[1]);
  worth(kWordOrderWorth, kWordOrderAveraged);
  worth(kPositionWorth, kPositionAveraged);
  over_displaced(kOrder);
  if (std::ranges::find(responses, kSegmentAveraged.name, &Response::name) == responses.end()) return;
  worth(kSegmentWorth, kSegmentAveraged);
  worth(kSegmentLeftOutWorth, kSegmentLeftOut);
  over_displaced(kSegment);
}

void measure_pairs(const Subject& subject, const InterventionBench& bench, const Conditions& conditions,
                   Findings& findings) {
  const InterventionSize size = InterventionSize::of(conditions);
  const RowsInUse rows{.count = longest_of(bench.texts())};
  std::vector<Response> responses;
  for (const auto& one : position_interventions(subject, bench.texts(), rows, conditions.seed)) {
    responses.push_back(bench.response(one, compared(one.name)));
  }
  conditions.progress(0.2);
  for (const auto& one : segment_interventions(subject)) {
    responses.push_back(bench.response(one, compared(one.name)));
  }
  Numbers& numbers = findings.numbers["0.8"];
  const auto performance = bench.has_loss() ? masked_performance(bench, responses)
                                            : retrieval_performance(subject, conditions, size.longest, numbers);
  add_performance(performance, bench.draws(" performance "), numbers);
  conditions.progress(0.4);
  responses.push_back(displaced(
      bench, kOrderDisplaced, [&](RandomStream& stream) { return displaced_order(subject, rows, stream); },
      size.directions));
  if (subject.segments.rows() > 1) {
    responses.push_back(displaced(
        bench, kSegmentDisplaced, [&](RandomStream& stream) { return displaced_segments(subject, stream); },
        size.directions));
  }
  const Yardstick word(
      bench.changes([&](RandomStream& stream) { return one_word(bench.texts(), stream); }, size.words));
  conditions.progress(0.6);
  const ResponseNumbers adder(bench, numbers);
  add_comparisons(bench, responses, word, adder);
  responses.push_back({kOneWord.name, kOneWord.label(), word.mean(), {}});
  for (Response& response : responses) adder.add(response);
  const double of_word = responses.back().vectors.value;
  findings.figures.push_back(doses_figure(doses_of(subject, bench, conditions), of_word));
  std::ranges::stable_sort(responses, std::greater{}, [](const Response& one) { return one.vectors.value; });
  findings.figures.push_back(responses_figure(responses, of_word));
  findings.figures.push_back(layers_figure(responses));
}

/// Texts that are no pairs: all their segment ids are 0.
void measure_singles(const Subject& subject, Texts singles, const Conditions& conditions, Findings& findings) {
  if (const auto few = too_few(singles.batch.texts(), localize("interventions.items.singles"))) {
    findings.remarks.push_back(localize("interventions.remarks.no_singles", {{"why", *few}}));
    return;
  }
  const InterventionBench bench(subject, conditions, std::move(singles), "singles");
  const ResponseNumbers adder(bench, findings.numbers["0.8"], "single_", localize("interventions.of_singles"));
  const auto positions =
      position_interventions(subject, bench.texts(), {.count = longest_of(bench.texts())}, conditions.seed);
  std::vector<Intervention> list{positions.front()};
  for (auto& one : segment_interventions(subject)) {
    if (one.name == kSegmentAll1.name || one.name == kSegmentAveraged.name) list.push_back(std::move(one));
  }
  for (const auto& one : list) {
    Response response = bench.response(one, CompareStates::skip);
    adder.add(response);
  }
}

void add_remarks(const Subject& subject, const InterventionBench& bench, const Conditions& conditions,
                 Findings& findings) {
  if (conditions.quick) {
    const InterventionSize quick = InterventionSize::quick();
    const InterventionSize full;
    findings.left_out.push_back(localize("interventions.left_out", {{"few", quick.texts},
                                                                    {"many", full.texts},
                                                                    {"short", quick.longest},
                                                                    {"long", full.longest},
                                                                    {"few_words", quick.words},
                                                                    {"many_words", full.words},
                                                                    {"few_draws", quick.directions},
                                                                    {"many_draws", full.directions},
                                                                    {"few_strengths", quick.strengths.size()},
                                                                    {"many_strengths", full.strengths.size()},
                                                                    {"few_resamplings", quick.resamplings},
                                                                    {"many_resamplings", full.resamplings}}));
  }
  findings.remarks.push_back(localize("interventions.remarks.trained_with_all"));
  findings.remarks.push_back(localize("interventions.remarks.pairs"));
  findings.remarks.push_back(localize("interventions.remarks.not_adding"));
  if (!bench.has_loss()) findings.remarks.push_back(localize("interventions.remarks.no_head", settings()));
  if (subject.segments.rows() < 2) findings.remarks.push_back(localize("interventions.remarks.one_segment_row"));
  const size_t in_a_half = bench.texts().batch.texts() / 2;
  if (const auto few = too_few(in_a_half, localize("interventions.items.pairs_of_a_half"))) {
    findings.remarks.push_back(without_interval(*few));
  }
}

Findings run_interventions(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks_sum(subject)) {
    findings.gaps["0.8"] = *lacking;
    return findings;
  }
  const InterventionSize size = InterventionSize::of(conditions);
  const auto texts = texts_by_kind(
      subject, {.most = size.texts, .longest = std::min(size.longest, static_cast<size_t>(subject.positions.rows()))});
  Texts pairs = with_words(texts.pairs);
  if (const auto few = too_few(pairs.batch.texts(), localize("interventions.items.pairs"))) {
    findings.gaps["0.8"] = *few;
    return findings;
  }
  const InterventionBench bench(subject, conditions, std::move(pairs), "pairs");
  conditions.progress(0.1);
  measure_pairs(subject, bench, conditions, findings);
  conditions.progress(0.9);
  measure_singles(subject, with_words(texts.singles), conditions, findings);
  add_remarks(subject, bench, conditions, findings);
  conditions.progress(1);
  return findings;
}

/// Whether an interval lies above a bound, or below it, or holds it.
enum class Side { below, open, above };

Side side_of(const Interval& interval, double bound) {
  if (interval.low > bound) return Side::above;
  return interval.high < bound ? Side::below : Side::open;
}

/// A task that can be measured, and how its loss changes.
struct TaskLoss {
  const char* task;
  const Number* change;
};

/// Where null and control are told apart by the rule that judges the part.
std::optional<TaskLoss> performance_of(const Numbers& numbers, const NumberName& removed) {
  for (const NumberName& task : {kMaskedWords, kPairs}) {
    const Number* change = find_number(numbers, task.of(removed.name));
    if (change && side_of(*change->control->interval, kLoses) == Side::above &&
        std::abs(change->null->value) < kLoses) {
      return TaskLoss{task.name, change};
    }
  }
  return {};
}

/// Whether taking a part out costs a task clearly. Where no task can be measured, hardly any change of the output at
/// all says no, and nothing says yes.
Side costs(const Numbers& numbers, const Removal& part) {
  if (const auto loss = performance_of(numbers, part.removed)) return side_of(*loss->change->interval, kLoses);
  const Number& worth = numbers.at(part.worth);
  const bool controls_pass = side_of(*worth.control->interval, kClear) == Side::above && worth.null->value < kNothing;
  return controls_pass && side_of(*worth.interval, kNothing) == Side::below ? Side::below : Side::open;
}

/// The number that costs() goes by.
std::string cost_name(const Numbers& numbers, const Removal& part) {
  const auto loss = performance_of(numbers, part.removed);
  return loss ? loss->change->name : std::string(part.worth);
}

LocalizedText task_words(const Numbers& numbers) {
  const auto order = performance_of(numbers, kOrderAveraged);
  if (!order) return localize("interventions.performance.none");
  FormatArgs args{{"task", localize(std::string("interventions.performance.") + order->task)},
                  {"order", order->change->value},
                  {"order_low", order->change->interval->low},
                  {"order_high", order->change->interval->high}};
  const auto segment = performance_of(numbers, kSegmentAveraged);
  if (!segment) return localize("interventions.performance.order", args);
  args.emplace_back("segment", segment->change->value);
  args.emplace_back("segment_low", segment->change->interval->low);
  args.emplace_back("segment_high", segment->change->interval->high);
  return localize("interventions.performance.both", args);
}

FormatArgs measured(const Numbers& numbers) {
  FormatArgs args{{"performance", task_words(numbers)},
                  {"position", numbers.value(kOrderWorth)},
                  {"row_0_too", numbers.value(kPositionWorth)}};
  if (find_number(numbers, kSegmentWorth)) {
    args.emplace_back("segment", numbers.value(kSegmentWorth));
    args.emplace_back("left_out", numbers.value(kSegmentLeftOutWorth));
  }
  return args;
}

Verdict judge_interventions(const Numbers& numbers) {
  Verdict verdict;
  const bool has_segments = find_number(numbers, kSegmentWorth) != nullptr;
  const Side position = costs(numbers, kOrder);
  const Side segment = has_segments ? costs(numbers, kSegment) : Side::open;
  if (!has_segments) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = std::min(position, segment) == Side::above   ? Observation::holds
                          : std::min(position, segment) == Side::below ? Observation::fails
                                                                       : Observation::cannot_be_told;
  }
  verdict.number = cost_name(numbers, has_segments && segment < position ? kSegment : kOrder);
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  if (verdict.observation == Observation::holds) {
    const bool beyond = side_of(*numbers.at(kOrderOverDisplaced).interval, kAsMuch) == Side::above &&
                        side_of(*numbers.at(kSegmentOverDisplaced).interval, kAsMuch) == Side::above;
    verdict.inference = beyond ? Inference::follows : Inference::does_not_follow;
  }
  verdict.reason =
      localize(has_segments ? "interventions.reason" : "interventions.reason_one_segment_row", measured(numbers));
  return verdict;
}

LocalizedText headline(const Numbers& numbers, Observation observation) {
  const auto text = [](const char* name) { return localize(std::string("interventions.headlines.") + name); };
  switch (observation) {
    case Observation::holds:
      return text("both");
    case Observation::fails:
      if (costs(numbers, kOrder) == Side::above) return text("position_alone");
      if (costs(numbers, kSegment) == Side::above) return text("segment_alone");
      return text("not_both");
    case Observation::cannot_be_told:
    case Observation::not_judged:
    case Observation::not_measured:
      break;
  }
  return text("cannot_be_told");
}

LocalizedText answer_interventions(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("0.8")) return gap_answer(findings.gaps.at("0.8"));
  const Numbers& numbers = findings.numbers.at("0.8");
  FormatArgs args = measured(numbers);
  args.emplace_back("headline", headline(numbers, verdicts.at("0.8").observation));
  const bool has_segments = find_number(numbers, kSegmentWorth) != nullptr;
  return localize(has_segments ? "interventions.answer" : "interventions.answer_one_segment_row", args);
}

}  // namespace
}  // namespace interventions

Experiment interventions_experiment() {
  using namespace interventions;
  Experiment experiment = described_experiment("interventions", settings());
  experiment.effort = 14;
  experiment.rules = {
      described_rule("interventions", "0.8", judge_interventions, settings(), {.claim = "3.1", .true_if_fails = true})};
  experiment.run = run_interventions;
  experiment.answer = answer_interventions;
  return experiment;
}

}  // namespace summand::lab
