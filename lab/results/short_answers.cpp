#include "lab/results/short_answers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "lab/core/localize.hpp"
#include "lab/results/in_short.hpp"
#include "lab/results/learned.hpp"
#include "lab/results/without_beginning.hpp"

namespace summand::lab {
namespace {

constexpr const char* kAdding = "3.1";
constexpr const char* kLearned = "X1";

const ExperimentResult* report_of(std::span<const ExperimentResult> reports, std::string_view claim) {
  const auto report = std::ranges::find_if(reports, [&](const ExperimentResult& one) {
    return std::ranges::find(one.experiment->rules, claim, &Rule::claim) != one.experiment->rules.end();
  });
  return report == reports.end() ? nullptr : &*report;
}

struct Split {
  std::string first;  ///< sentence, with its full stop
  std::string rest;
};

Split split_in_english(const std::string& text) {
  for (size_t dot = text.find(". "); dot != text.npos; dot = text.find(". ", dot + 1)) {
    const bool begins = dot + 2 < text.size() && std::isupper(static_cast<unsigned char>(text[dot + 2])) != 0;
    if (begins) return {text.substr(0, dot + 1), text.substr(dot + 2)};
  }
  return {text, ""};
}

Split split_in_chinese(const std::string& text) {
  static constexpr std::string_view kStop = "。";
  const size_t stop = text.find(kStop);
  if (stop == text.npos) return {text, ""};
  return {text.substr(0, stop + kStop.size()), text.substr(stop + kStop.size())};
}

/// An answer to "is it made of circles?" as one to "what has it learned?": its "no" becomes the lead.
LocalizedText led(const LocalizedText& answer, const LocalizedText& lead) {
  static constexpr std::array<std::string_view, 2> kEnglish{"No: ", "No, "};
  static constexpr std::array<std::string_view, 2> kChinese{"不是：", "不是，"};
  const LocalizedText rest{without_beginning(answer.en, kEnglish), without_beginning(answer.zh, kChinese)};
  return {rest.en == answer.en ? answer.en : lead.en + ": " + rest.en,
          rest.zh == answer.zh ? answer.zh : lead.zh + "：" + rest.zh};
}

ShortAnswer answered(LocalizedText question, const LocalizedText& answer) {
  auto english = split_in_english(answer.en);
  auto chinese = split_in_chinese(answer.zh);
  return {.question = std::move(question),
          .sentence = {std::move(english.first), std::move(chinese.first)},
          .more = {std::move(english.rest), std::move(chinese.rest)}};
}

LocalizedText words_of_adding(const Verdict& verdict, const Number& number) {
  const LocalizedText bound =
      number.interval ? localize("results.adding.bound",
                                 {{"low", 100 * number.interval->low}, {"high", 100 * number.interval->high}})
                      : LocalizedText{};
  const FormatArgs args{{"percent", 100 * number.value}, {"bound", bound}};
  if (verdict.observation == Observation::fails) return localize("results.adding.fails", args);
  if (verdict.observation == Observation::holds) return localize("results.adding.holds", args);
  return localize("results.adding.open", args);
}

ShortAnswer answer_of_adding(const ExperimentResult& report) {
  LocalizedText question = localize("results.adding.question");
  const auto verdict = report.verdicts.find(kAdding);
  const auto numbers = report.findings.numbers.find(kAdding);
  if (verdict == report.verdicts.end() || numbers == report.findings.numbers.end() || numbers->second.all().empty()) {
    return answered(std::move(question), answer_of(report));
  }
  const auto& name = verdict->second.number;
  const Number& number = name.empty() ? numbers->second.all().front() : numbers->second.at(name);
  return {.question = std::move(question), .sentence = words_of_adding(verdict->second, number), .more = {}};
}

/// What the table has learned besides circles, each in a sentence; empty where nothing shows.
ShortAnswer other_than_circles(LocalizedText question, const std::vector<Learned>& learned,
                               const LocalizedText& of_circles) {
  ShortAnswer answer{.question = std::move(question), .sentence = {}, .more = {}};
  for (const auto& one : learned) {
    answer.sentence.en += (answer.sentence.en.empty() ? "" : "; ") + one.name.en;
    answer.sentence.zh += (answer.sentence.zh.empty() ? "" : "；") + one.name.zh;
  }
  answer.sentence.en += ".";
  answer.sentence.zh += "。";
  answer.more = {learned.front().words.en + " " + of_circles.en, learned.front().words.zh + of_circles.zh};
  return answer;
}

ShortAnswer answer_of_learned(const ExperimentResult& report, const std::vector<Learned>& learned) {
  const auto verdict = report.verdicts.find(kLearned);
  const LocalizedText answer = answer_of(report);
  const auto observation = verdict == report.verdicts.end() ? Observation::not_measured : verdict->second.observation;
  LocalizedText question = localize("results.learned.question");
  if (observation == Observation::holds) {
    return answered(std::move(question), behind_yes_or_no(answer));
  }
  if (!learned.empty()) {
    const LocalizedText of_circles =
        observation == Observation::fails ? led(answer, localize("results.learned.fails")) : answer;
    return other_than_circles(std::move(question), learned, of_circles);
  }
  if (observation == Observation::fails) {
    return answered(std::move(question), led(answer, localize("results.learned.fails")));
  }
  return answered(std::move(question), answer);
}

}  // namespace

LocalizedText answer_of(const ExperimentResult& report) {
  const auto& [experiment, findings, verdicts, seconds] = report;
  if (findings.numbers.empty() && !findings.gaps.empty()) return gap_answer(findings.gaps.begin()->second);
  return experiment->answer != nullptr ? experiment->answer(findings, verdicts) : LocalizedText{};
}

std::vector<ShortAnswer> short_answers(std::span<const ExperimentResult> reports) {
  std::vector<ShortAnswer> answers;
  if (const auto* report = report_of(reports, kAdding)) answers.push_back(answer_of_adding(*report));
  if (const auto* report = report_of(reports, kLearned))
    answers.push_back(answer_of_learned(*report, learned(reports)));
  return answers;
}

}  // namespace summand::lab
