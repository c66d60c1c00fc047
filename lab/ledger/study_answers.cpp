#include "lab/ledger/study_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lab/ledger/ledger_files.hpp"

namespace summand::lab {

namespace {

using Json = nlohmann::json;
using Texts = std::map<std::string, std::string>;

/// "−0.12 % [−0.31, +0.55]": a difference and its interval, of what there is to learn.
std::string difference_text(const Json& comparison) {
  const auto mean = comparison.at("mean").get<double>();
  const auto low = comparison.at("interval").at(0).get<double>(), high = comparison.at("interval").at(1).get<double>();
  if (comparison.contains("measure")) return fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", mean, low, high);
  const int digits = std::max({std::abs(mean), std::abs(low), std::abs(high)}) < 0.1 ? 2 : 1;
  return fmt::format("{:+.{}f} % [{:+.{}f}, {:+.{}f}]", 100 * mean, digits, 100 * low, digits, 100 * high, digits);
}

/// What may stand in braces: a comparison's name, and "left TASK/ARM".
Texts texts_of(const Json& verdicts) {
  Texts texts;
  for (const Json& one : verdicts.at("comparisons")) {
    texts[one.at("name").get<std::string>()] = difference_text(one);
  }
  for (const Json& arm : verdicts.at("arms")) {
    texts[fmt::format("left {}/{}", arm.at("task").get<std::string>(), arm.at("arm").get<std::string>())] =
        fmt::format("{:.1f} %", 100 * arm.at("left").get<double>());
  }
  return texts;
}

/// @throws std::out_of_range naming what stands in braces and is not in the study: our own mistake
std::string filled(const std::string& text, const Texts& texts) {
  std::string result;
  size_t at = 0;
  for (size_t open = text.find('{'); open != text.npos; open = text.find('{', at)) {
    const size_t close = text.find('}', open);
    const std::string name = text.substr(open + 1, close - open - 1);
    const auto found = texts.find(name);
    if (found == texts.end()) throw std::out_of_range(fmt::format("the study has no '{}'", name));
    result += text.substr(at, open - at) + found->second;
    at = close + 1;
  }
  return result + text.substr(at);
}

Observation verdict_named(const std::string& name) {
  for (const auto verdict : {Observation::holds, Observation::fails, Observation::cannot_be_told,
                             Observation::not_judged, Observation::not_measured}) {
    if (words_of(verdict).en == name) return verdict;
  }
  throw std::out_of_range(fmt::format("there is no verdict '{}'", name));
}

std::vector<StudyAnswer> all_answers() {
  const auto files = Json::parse(study_files());
  const Texts texts = texts_of(files.at(1));
  std::vector<StudyAnswer> answers;
  for (const auto& [claim, answer] : files.at(0).items()) {
    answers.push_back({.claim = claim,
                       .verdict = verdict_named(answer.at("verdict").get<std::string>()),
                       .text = {filled(answer.at("en").get<std::string>(), texts),
                                filled(answer.at("zh").get<std::string>(), texts)}});
  }
  return answers;
}

}  // namespace

const std::vector<StudyAnswer>& study_answers() {
  static const std::vector<StudyAnswer> all = all_answers();
  return all;
}

const StudyAnswer* study_answer(std::string_view claim) {
  const auto found = std::ranges::find(study_answers(), claim, &StudyAnswer::claim);
  return found == study_answers().end() ? nullptr : &*found;
}

}  // namespace summand::lab
