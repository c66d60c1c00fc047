// 0.8: what the output loses when the segment or the position is taken out of the sum.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/found.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/interventions/intervention_bench.hpp"
#include "lab/experiments/interventions/intervention_figures.hpp"
#include "lab/experiments/interventions/intervention_list.hpp"
#include "lab/experiments/interventions/text_pairs.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace interventions {
namespace {

constexpr double kClear = 1;  // of the change that one replaced word makes: what a reader of the output would notice
constexpr double kNothing = 0.1;  // of the same: the null has to stay below; the rule says it in words
constexpr double kAsMuch = 1;     // as rows moved as far with nothing lost
constexpr size_t kLeastTexts = 4;

constexpr NumberName kPositionOverWord{"interventions", "position_over_word"};
constexpr NumberName kPositionOverDisplaced{"interventions", "position_over_displaced"};
constexpr NumberName kSegmentOverWord{"interventions", "segment_over_word"};
constexpr NumberName kSegmentOverDisplaced{"interventions", "segment_over_displaced"};

/// What the texts say of the constants.
Fills settings() {
  const InterventionSize full;
  return {{"weakest", full.strengths.front()},
          {"strongest", full.strengths.back()},
          {"clear", kClear},
          {"as_much", kAsMuch}};
}

CompareStates compared(const std::string& name) {
  const std::array compared{std::string(kPositionAveraged), std::string(kPositionPermuted), kPositionShift.of("8"),
                            std::string(kSegmentAll0)};
  return std::ranges::find(compared, name) != compared.end() ? CompareStates::all : CompareStates::skip;
}

const Response& named(const std::vector<Response>& responses, const NumberName& name) {
  return *std::ranges::find(responses, name.name, &Response::name);
}

/// A part that is taken out, and what its change is compared by.
struct Removal {
  NumberName removed;
  NumberName displaced;
  NumberName over_word;
  NumberName over_displaced;
};
constexpr Removal kPosition{kPositionAveraged, kPositionDisplaced, kPositionOverWord, kPositionOverDisplaced};
constexpr Removal kSegment{kSegmentAll0, kSegmentDisplaced, kSegmentOverWord, kSegmentOverDisplaced};

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

void measure_pairs(const Subject& subject, const InterventionBench& bench, const Conditions& conditions,
                   Findings& findings) {
  Numbers& numbers = findings.numbers["0.8"];
  const ResponseNumbers adder(bench, numbers);
  const size_t longest = longest_of(bench.texts());
  std::vector<Response> responses;
  for (const auto& one : position_interventions(subject, longest, conditions.seed)) {
    responses.push_back(bench.response(one, compared(one.name)));
  }
  conditions.progress(0.3);
  for (const auto& one : segment_interventions(subject)) {
    responses.push_back(bench.response(one, compared(one.name)));
  }
  const auto drawn = [&](const auto& make, CompareStates states) { responses.push_back(bench.drawn(make, states)); };
  drawn([&](RandomStream& stream) { return displaced_positions(subject, longest, stream); }, CompareStates::skip);
  const bool has_segments = subject.segments.rows() > 1;
  if (has_segments) {
    drawn([&](RandomStream& stream) { return displaced_segments(subject, stream); }, CompareStates::skip);
  }
  drawn([&](RandomStream& stream) { return one_word(bench.texts(), stream); }, CompareStates::all);
  for (Response& response : responses) adder.add(response);
  conditions.progress(0.5);
  const Response& word = responses.back();
  const auto compare = [&](const Removal& part) {
    const Response& removed = named(responses, part.removed);
    adder.ratio(part.over_word, removed, word);
    adder.ratio(part.over_displaced, removed, named(responses, part.displaced));
    adder.accuracy(removed);
  };
  compare(kPosition);
  if (has_segments) compare(kSegment);
  const double of_word = word.vectors.value;
  findings.figures.push_back(doses_figure(doses_of(subject, bench, conditions), of_word));
  std::ranges::stable_sort(responses, std::greater{}, [](const Response& one) { return one.vectors.value; });
  findings.figures.push_back(responses_figure(responses, of_word));
  findings.figures.push_back(layers_figure(responses));
}

/// Texts that are no pairs: all their segment ids are 0.
void measure_singles(const Subject& subject, Texts singles, const Conditions& conditions, Findings& findings) {
  if (singles.batch.texts() < kLeastTexts) return;
  const InterventionBench bench(subject, conditions, std::move(singles), "singles");
  const ResponseNumbers adder(bench, findings.numbers["0.8"], "single_", wording("interventions.of_singles"));
  const auto positions = position_interventions(subject, longest_of(bench.texts()), conditions.seed);
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
    findings.left_out.push_back(wording("interventions.left_out", {{"few", quick.texts},
                                                                   {"many", full.texts},
                                                                   {"short", quick.longest},
                                                                   {"long", full.longest},
                                                                   {"few_draws", quick.draws},
                                                                   {"many_draws", full.draws},
                                                                   {"few_strengths", quick.strengths.size()},
                                                                   {"many_strengths", full.strengths.size()},
                                                                   {"few_resamplings", quick.resamplings},
                                                                   {"many_resamplings", full.resamplings}}));
  }
  findings.remarks.push_back(wording("interventions.remarks.trained_with_all"));
  findings.remarks.push_back(wording("interventions.remarks.pairs"));
  findings.remarks.push_back(wording("interventions.remarks.not_adding"));
  if (!bench.has_loss()) findings.remarks.push_back(wording("interventions.remarks.no_head"));
  if (subject.segments.rows() < 2) findings.remarks.push_back(wording("interventions.remarks.one_segment_row"));
}

Findings run_interventions(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks_sum(subject)) {
    findings.gaps["0.8"] = *lacking;
    return findings;
  }
  const InterventionSize size = InterventionSize::of(conditions);
  auto texts = texts_by_kind(
      subject, {.most = size.texts, .longest = std::min(size.longest, static_cast<size_t>(subject.positions.rows()))});
  if (texts.pairs.batch.texts() < kLeastTexts) {
    findings.gaps["0.8"] = wording("interventions.gaps.few_texts");
    return findings;
  }
  const InterventionBench bench(subject, conditions, std::move(texts.pairs), "pairs");
  conditions.progress(0.1);
  measure_pairs(subject, bench, conditions, findings);
  conditions.progress(0.9);
  measure_singles(subject, std::move(texts.singles), conditions, findings);
  add_remarks(subject, bench, conditions, findings);
  conditions.progress(1);
  return findings;
}

/// Whether a number lies above a bound, or below it, or its interval holds it.
enum class Side { below, open, above };

Side side_of(const Number& number, double bound) {
  if (number.interval->low > bound) return Side::above;
  return number.interval->high < bound ? Side::below : Side::open;
}

/// Whether taking a part out changes the output clearly, by vectors and, where there is one, by the loss.
Side clearly(const Numbers& numbers, const Removal& part) {
  const Side vectors = side_of(numbers.at(part.over_word), kClear);
  const Number* loss = found(numbers, part.removed.of(kLoss));
  if (!loss || vectors == Side::below) return vectors;
  return std::min(vectors, side_of(*loss, 0));
}

Verdict judge_interventions(const Numbers& numbers) {
  Verdict verdict;
  const bool has_segments = found(numbers, kSegmentOverWord) != nullptr;
  const bool told_apart = numbers.null(kPositionOverWord) < kNothing && numbers.control(kPositionOverWord) > kClear;
  const Side position = clearly(numbers, kPosition);
  const Side segment = has_segments ? clearly(numbers, kSegment) : Side::open;
  if (!told_apart || !has_segments) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = std::min(position, segment) == Side::above   ? Observation::holds
                          : std::min(position, segment) == Side::below ? Observation::fails
                                                                       : Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  if (verdict.observation == Observation::holds) {
    const bool beyond = side_of(numbers.at(kPositionOverDisplaced), kAsMuch) == Side::above &&
                        side_of(numbers.at(kSegmentOverDisplaced), kAsMuch) == Side::above;
    verdict.inference = beyond ? Inference::follows : Inference::does_not_follow;
  }
  verdict.reason =
      has_segments ? wording("interventions.reason", {{"position", numbers.value(kPositionOverWord)},
                                                      {"segment", numbers.value(kSegmentOverWord)},
                                                      {"position_moved", numbers.value(kPositionOverDisplaced)},
                                                      {"segment_moved", numbers.value(kSegmentOverDisplaced)}})
                   : wording("interventions.reason_one_segment_row", {{"position", numbers.value(kPositionOverWord)}});
  return verdict;
}

Words headline(const Numbers& numbers, Observation observation) {
  const auto text = [](const char* name) { return wording(std::string("interventions.headlines.") + name); };
  switch (observation) {
    case Observation::holds:
      return text("both");
    case Observation::fails:
      if (clearly(numbers, kPosition) == Side::above) return text("position_alone");
      if (clearly(numbers, kSegment) == Side::above) return text("segment_alone");
      return text("not_both");
    case Observation::cannot_be_told:
    case Observation::not_measured:
      break;
  }
  return text("cannot_be_told");
}

Words answer_interventions(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("0.8")) return findings.gaps.at("0.8");
  const Numbers& numbers = findings.numbers.at("0.8");
  const Words head = headline(numbers, verdicts.at("0.8").observation);
  const double position = numbers.value(kPositionOverWord);
  if (!found(numbers, kSegmentOverWord)) {
    return wording("interventions.answer_one_segment_row", {{"headline", head}, {"position", position}});
  }
  return wording("interventions.answer",
                 {{"headline", head}, {"position", position}, {"segment", numbers.value(kSegmentOverWord)}});
}

}  // namespace
}  // namespace interventions

Experiment interventions_experiment() {
  using namespace interventions;
  Experiment experiment = described_experiment("interventions", settings());
  experiment.effort = 40;
  experiment.rules = {described_rule("interventions", "0.8", judge_interventions, settings())};
  experiment.run = run_interventions;
  experiment.answer = answer_interventions;
  return experiment;
}

}  // namespace summand::lab
