#include "lab/run/event_lines.hpp"

#include <nlohmann/json.hpp>

#include "lab/core/experiment.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/report/in_short_json.hpp"
#include "lab/report/rounded_json.hpp"
#include "lab/report/words_json.hpp"
#include "lab/results/in_short.hpp"
#include "lab/results/outcome.hpp"

namespace summand::lab {

namespace {

std::string event_line(const nlohmann::json& event) {
  return event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// What the document concludes, where this experiment alone tells whether that is true.
nlohmann::json conclusion_of(const Outcome& outcome) {
  const bool concludes = outcome.rule != nullptr && !outcome.rule->conclusion.en.empty();
  if (!concludes || outcome.told_by == nullptr || !outcome.needs.en.empty()) return {};
  return {{"says", json_of(outcome.rule->conclusion)}, {"truth", json_of(words_of(outcome.truth))}};
}

/// Null where nothing was measured.
nlohmann::json number_json(const Outcome& outcome) {
  const Number* number = outcome.number();
  return number != nullptr ? nlohmann::json(*number) : nlohmann::json();
}

}  // namespace

std::string progress_line(const LaboratoryProgress& progress) {
  return event_line({{"event", "progress"},
                     {"share", rounded_json(progress.share, 4)},
                     {"ended", progress.ended},
                     {"count", progress.count},
                     {"under_way", progress.under_way},
                     {"titles", json_of(progress.titles)}});
}

std::string verdict_lines(const ExperimentResult& result) {
  std::string lines;
  for (const auto& outcome : outcomes({&result, 1}, ledger())) {
    if (outcome.report == nullptr) continue;
    const auto& [observation, inference, reason, number, conclusion] = outcome.verdict;
    lines += event_line({{"event", "verdict"},
                         {"experiment", result.experiment->name},
                         {"claim", outcome.claim->id},
                         {"says", json_of(outcome.claim->brief)},
                         {"observation", json_of(words_of(observation))},
                         {"inference", json_of(words_of(inference))},
                         {"conclusion", conclusion_of(outcome)},
                         {"reason", json_of(reason)},
                         {"number", number_json(outcome)}});
  }
  const auto said = [](const LocalizedText& text) { return json_of(text); };
  const auto answer = in_short_json<nlohmann::json>(in_short({&result, 1}), said).at("adding");
  if (!answer.is_null()) lines += event_line({{"event", "answer"}, {"lead", answer["lead"]}, {"text", answer["text"]}});
  return lines;
}

std::string finished_line(const std::string& page) {
  return event_line({{"event", "finished"}, {"page", page}});
}

}  // namespace summand::lab
