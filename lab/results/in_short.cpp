#include "lab/results/in_short.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "lab/core/localize.hpp"
#include "lab/results/found_claim.hpp"
#include "lab/results/short_answers.hpp"
#include "lab/results/without_beginning.hpp"

namespace summand::lab {

namespace {

using Reports = std::span<const ExperimentResult>;

/// In English a sentence begins with a capital, and in Chinese this changes nothing.
std::string sentence_behind(const std::string& text, std::span<const std::string_view> beginnings) {
  std::string rest = without_beginning(text, beginnings);
  if (!rest.empty() && rest.size() < text.size()) {
    rest[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(rest[0])));
  }
  return rest;
}

/// 3.1: what is added can be told apart again, or not.
std::optional<LedAnswer> adding(Reports reports) {
  const FoundClaim claim = found_claim(reports, "3.1");
  if (claim.report == nullptr) return {};
  if (const LocalizedText* gap = claim.gap("3.1")) {
    if (*gap == no_position_table()) return LedAnswer{{}, localize("results.adding.no_table")};
    return LedAnswer{{}, gap_answer(*gap)};
  }
  const LocalizedText answer = claim.report->experiment->answer != nullptr ? answer_of(*claim.report) : LocalizedText{};
  if (claim.is(Observation::fails)) return LedAnswer{localize("results.adding.kept"), behind_yes_or_no(answer)};
  if (claim.is(Observation::holds)) return LedAnswer{localize("results.adding.lost"), behind_yes_or_no(answer)};
  return LedAnswer{{}, answer};
}

/// Where nothing that was learned shows: that the rows lie as noise does, or why nothing was measured.
std::optional<LedAnswer> nothing_learned(Reports reports) {
  const FoundClaim path = found_claim(reports, "0.9");
  if (path.is(Observation::fails)) {
    const Number& near = path.numbers->at("continuity_5");
    return LedAnswer{
        localize("results.table.nothing"),
        localize("results.table.as_noise", {{"near", 100 * near.value}, {"noise", 100 * near.null->value}})};
  }
  for (const char* claim : {"X1", "3.5", "0.9", "E3"}) {
    const FoundClaim found = found_claim(reports, claim);
    const LocalizedText* gap = found.gap(claim);
    if (gap == nullptr) continue;
    if (*gap == no_position_table()) {
      return LedAnswer{localize("results.table.none"), localize("results.table.none_added")};
    }
    return LedAnswer{{}, gap_answer(*gap)};
  }
  return {};
}

std::optional<LedAnswer> table(Reports reports, const InShort& known) {
  if (!known.learned.empty()) return LedAnswer{known.learned.front().name, known.learned.front().words};
  if (auto answer = nothing_learned(reports)) return answer;
  if (known.not_run.size() == experiments_of_table().size()) return {};
  return LedAnswer{localize("results.table.not_told"), known.circles};
}

}  // namespace

InShort in_short(std::span<const ExperimentResult> reports) {
  InShort known;
  known.adding = adding(reports);
  known.learned = learned(reports);
  const auto is_run = [&](const std::string& name) {
    return std::ranges::any_of(reports, [&](const auto& report) { return report.experiment->name == name; });
  };
  for (const auto& name : experiments_of_table()) {
    if (!is_run(name)) known.not_run.push_back(name);
  }
  const FoundClaim circles = found_claim(reports, "X1");
  if (circles.verdict != nullptr && !circles.is(Observation::holds)) known.circles = answer_of(*circles.report);
  known.table = table(reports, known);
  return known;
}

const LocalizedText& no_position_table() {
  static const LocalizedText words = localize("results.no_position_table");
  return words;
}

LocalizedText behind_yes_or_no(const LocalizedText& answer) {
  constexpr std::array<std::string_view, 6> kEnglish{"Yes: ", "No: ", "Yes. ", "No. ", "Yes, ", "No, "};
  constexpr std::array<std::string_view, 11> kChinese{"是的：", "不是：", "是的。", "不是。", "是的，", "不能，",
                                                      "能：",   "能。",   "是：",   "是。",   "是，"};
  return {sentence_behind(answer.en, kEnglish), sentence_behind(answer.zh, kChinese)};
}

}  // namespace summand::lab
