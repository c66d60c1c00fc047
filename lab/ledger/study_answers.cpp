#include "lab/ledger/study_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lab/ledger/ledger_files.hpp"

namespace summand::lab {

namespace {

using Json = nlohmann::json;

Observation verdict_named(const std::string& name) {
  for (const auto verdict : {Observation::holds, Observation::fails, Observation::cannot_be_told,
                             Observation::not_judged, Observation::not_measured}) {
    if (words_of(verdict).en == name) return verdict;
  }
  throw std::out_of_range(fmt::format("there is no verdict '{}'", name));
}

std::vector<StudyAnswer> all_answers() {
  const auto file = Json::parse(study_file());
  std::vector<StudyAnswer> answers;
  for (const auto& [claim, answer] : file.items()) {
    answers.push_back({.claim = claim,
                       .verdict = verdict_named(answer.at("verdict").get<std::string>()),
                       .text = {answer.at("en").get<std::string>(), answer.at("zh").get<std::string>()}});
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
