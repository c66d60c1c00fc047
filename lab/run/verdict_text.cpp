#include "lab/run/verdict_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "lab/core/half_away_from_zero.hpp"
#include "lab/core/localize.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/results/outcome.hpp"
#include "lab/run/text_lines.hpp"

namespace summand::lab {

namespace {

constexpr size_t kLabel = 6;  // columns: the longest id, "4.10", and a gap

std::string number_text(double value) {
  constexpr double kFourDigits = 999.5;  // rounded to three it is 1000
  const bool large = std::abs(value) >= kFourDigits && std::abs(value) < 1e6;
  return large ? fmt::format("{:.0f}", HalfAwayFromZero{value}) : fmt::format("{:.3g}", HalfAwayFromZero{value});
}

/// The number that decided, beside its null and its control, and what it is; in its place why there is none.
std::string deciding_number_text(const Outcome& outcome, Language language) {
  const Number* number = outcome.number();
  if (number == nullptr) return in(language, outcome.verdict.reason);
  std::vector<std::string> references;
  const auto add = [&](const char* path, double value) {
    references.push_back(in(language, localize(path, {{"value", number_text(value)}})));
  };
  if (number->null) add("run.beside.null", number->null->value);
  if (number->control) add("run.beside.control", number->control->value);
  const std::string separator = in(language, localize("run.comma"));
  return in(language, localize(references.empty() ? "run.number.alone" : "run.number.compared",
                               {{"value", number_text(number->value)},
                                {"beside", fmt::format("{}", fmt::join(references, separator))},
                                {"label", number->label}}));
}

/// Of algebra and of BERT's code every checkpoint says the same.
std::string observation_text(const Outcome& outcome, Language language) {
  const auto seen = outcome.verdict.observation;
  const FormatArgs args{{"observation", words_of(seen)}};
  const bool told = seen == Observation::holds || seen == Observation::fails;
  if (told && outcome.rule->decision.kind == Kind::algebra) return in(language, localize("run.kinds.algebra", args));
  if (told && outcome.rule->decision.kind == Kind::code) return in(language, localize("run.kinds.code", args));
  return in(language, words_of(seen));
}

/// ", but it does not follow from this"; nothing where the argument was not tested, or where it would deny what was
/// just observed.
LocalizedText argument_words(const Outcome& outcome) {
  switch (outcome.verdict.inference) {
    case Inference::not_tested:
      return {};
    case Inference::follows:
      return localize(fmt::format("run.follows.{}", words_of(outcome.truth).en));
    case Inference::does_not_follow:
      if (outcome.told_by == outcome.claim) return {};
      return localize(fmt::format("run.does_not_follow.{}", words_of(outcome.truth).en));
  }
  __builtin_unreachable();
}

/// " (4.2)": the claim that tells, if it is another; what it lacks, if it does not tell.
LocalizedText teller_words(const Outcome& outcome) {
  if (outcome.told_by == nullptr || outcome.told_by == outcome.claim) return {};
  if (!outcome.needs.en.empty()) return localize("run.teller.needs", {{"needs", outcome.needs}});
  const char* path = outcome.truth == Truth::open ? "run.teller.open" : "run.teller.told";
  return localize(path, {{"claim", outcome.told_by->id}});
}

/// "true up to layer 4 of 6"
LocalizedText truth_words(const Outcome& outcome) {
  const LocalizedText& truth = words_of(outcome.truth);
  if (outcome.extent.en.empty()) return truth;
  return {truth.en + " " + outcome.extent.en, truth.zh + "，" + outcome.extent.zh};
}

/// A sentence within quotation marks, which stands for itself: without its full stop.
LocalizedText quoted(LocalizedText conclusion) {
  static constexpr std::string_view kStop = "。";
  if (conclusion.en.ends_with('.')) conclusion.en.pop_back();
  if (conclusion.zh.ends_with(kStop)) conclusion.zh.resize(conclusion.zh.size() - kStop.size());
  return conclusion;
}

/// "holds. Therefore 'p is small enough to expand in': false (4.2)"
std::string verdict_text(const Outcome& outcome, Language language) {
  const std::string observation = observation_text(outcome, language);
  const auto seen = outcome.verdict.observation;
  if (outcome.rule->conclusion.en.empty() || seen == Observation::not_measured || seen == Observation::not_judged) {
    return observation;
  }
  return in(language, localize("run.therefore", {{"observation", observation},
                                                 {"conclusion", quoted(outcome.rule->conclusion)},
                                                 {"truth", truth_words(outcome)},
                                                 {"teller", teller_words(outcome)},
                                                 {"argument", argument_words(outcome)}}));
}

std::string block_of(const Outcome& outcome, Language language, size_t width) {
  const std::string indent(kLabel, ' ');
  return wrapped(padded(outcome.claim->id, kLabel), in(language, outcome.claim->brief), width) +
         wrapped(indent, verdict_text(outcome, language), width) +
         wrapped(indent, deciding_number_text(outcome, language), width);
}

/// Such a claim has the answer of a study.
bool needs_training(const Outcome& outcome) {
  return outcome.report == nullptr && outcome.claim->evidence == Evidence::trained_controls;
}

/// "57 claims: holds 24, fails 14; not run 3, answered by summand's studies 8"
std::string counts_text(const std::vector<Outcome>& all, Language language) {
  std::vector<std::string> counts;
  const auto add = [&](const LocalizedText& what, const auto& is_one) {
    const auto count = std::ranges::count_if(all, is_one);
    if (count > 0) counts.push_back(fmt::format("{} {}", in(language, what), count));
  };
  for (const auto seen : {Observation::holds, Observation::fails, Observation::cannot_be_told, Observation::not_judged,
                          Observation::not_measured}) {
    add(words_of(seen), [&](const Outcome& one) { return one.report != nullptr && one.verdict.observation == seen; });
  }
  add(localize("run.not_run"), [](const Outcome& one) { return one.report == nullptr && !needs_training(one); });
  add(localize("run.studies.count"), needs_training);
  const std::string separator = in(language, localize("run.comma"));
  return in(language, localize("run.counts",
                               {{"claims", all.size()}, {"counts", fmt::format("{}", fmt::join(counts, separator))}}));
}

/// What the studies say of the claims that no checkpoint can answer, behind a run of every experiment.
std::string studies_text(const std::vector<Outcome>& all, Language language, size_t width) {
  const auto is_left_out = [](const Outcome& one) { return one.report == nullptr && !needs_training(one); };
  if (std::ranges::any_of(all, is_left_out)) return "";
  std::string lines;
  for (const auto& outcome : all) {
    if (!needs_training(outcome)) continue;
    const LocalizedText line = localize(
        "run.studies.line", {{"brief", outcome.claim->brief}, {"verdict", words_of(outcome.claim->study->verdict)}});
    lines += wrapped(padded(outcome.claim->id, kLabel), in(language, line), width);
  }
  return lines.empty() ? "" : wrapped("", in(language, localize("run.studies.title")), width) + lines + "\n";
}

}  // namespace

std::string summary_text(const std::vector<ExperimentResult>& reports, Language language, size_t width) {
  const auto all = outcomes(reports, ledger());
  std::string text;
  for (const auto& document : documents()) {
    std::string blocks;
    for (const auto& outcome : all) {
      if (outcome.report == nullptr || outcome.claim->document != document.name) continue;
      blocks += block_of(outcome, language, width);
    }
    if (!blocks.empty()) text += wrapped("", in(language, document.title), width) + blocks + "\n";
  }
  return text + studies_text(all, language, width) + wrapped("", counts_text(all, language), width);
}

}  // namespace summand::lab
