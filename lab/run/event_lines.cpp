#include "lab/run/event_lines.hpp"

#include <nlohmann/json.hpp>

#include "lab/core/experiment.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/report/rounded_json.hpp"
#include "lab/report/words_json.hpp"

namespace summand::lab {

namespace {

std::string event_line(const nlohmann::json& event) {
  return event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string progress_line(const LaboratoryProgress& progress) {
  return event_line({{"event", "progress"},
                     {"share", rounded_json(progress.share, 4)},
                     {"ended", progress.ended},
                     {"count", progress.count},
                     {"under_way", progress.under_way}});
}

std::string verdict_lines(const ExperimentResult& result) {
  std::string lines;
  for (const auto& rule : result.experiment->rules) {
    const Verdict& verdict = result.verdicts.at(rule.claim);
    lines += event_line({{"event", "verdict"},
                         {"experiment", result.experiment->name},
                         {"claim", rule.claim},
                         {"says", json_of(claim(rule.claim).brief)},
                         {"observation", json_of(words_of(verdict.observation))},
                         {"inference", json_of(words_of(verdict.inference))},
                         {"reason", json_of(verdict.reason)}});
  }
  return lines;
}

std::string finished_line(const std::string& page) {
  return event_line({{"event", "finished"}, {"page", page}});
}

}  // namespace summand::lab
