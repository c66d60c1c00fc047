#include <nlohmann/json.hpp>

#include "lab/report/report.hpp"
#include "lab/report/whole_file.hpp"
#include "lab/results/findings_json.hpp"
#include "lab/results/outcome.hpp"
#include "lab/results/rule_state.hpp"
#include "lab/results/short_answers.hpp"

namespace summand::lab {
namespace {

using Json = nlohmann::ordered_json;

/// "null": the value alone, and beside it, where there is one, what it is of and its interval.
void add_reference(Json& json, const std::string& name, const std::optional<ReferenceValue>& reference) {
  json[name] = reference ? Json(reference->value) : Json();
  if (!reference) return;
  json[name + "_of"] = reference->of.en;
  if (reference->interval) json[name + "_interval"] = *reference->interval;
}

Json json_of(const Number& number) {
  Json json{{"label", number.label.en}, {"value", number.value}, {"interval", number.interval}};
  add_reference(json, "null", number.null);
  add_reference(json, "control", number.control);
  return json;
}

Json json_of(const Numbers* numbers) {
  Json json = Json::object();
  if (numbers != nullptr) {
    for (const auto& number : numbers->all()) json[number.name] = json_of(number);
  }
  return json;
}

/// By what it was judged, and whether that stood before the numbers did.
Json rule_json(const Rule* rule) {
  if (rule == nullptr) return {};
  return {{"hash", rule_hash(*rule)}, {"state", rule_state(*rule).en}};
}

/// What the study says: of the question, not of this checkpoint.
Json json_of(const StudyAnswer* study) {
  if (study == nullptr) return {};
  return {{"verdict", words_of(study->verdict).en}, {"text", study->text.en}};
}

Json json_of(const Outcome& outcome) {
  return {{"id", outcome.claim->id},
          {"claim", outcome.claim->claim.en},
          {"experiment", outcome.report != nullptr ? Json(outcome.report->experiment->name) : Json()},
          {"observation", words_of(outcome.verdict.observation).en},
          {"inference", words_of(outcome.verdict.inference).en},
          {"conclusion", words_of(outcome.truth).en},
          {"conclusion_by", outcome.told_by != nullptr ? Json(outcome.told_by->id) : Json()},
          {"conclusion_needs", outcome.needs.en.empty() ? Json() : Json(outcome.needs.en)},
          {"conclusion_extent", outcome.extent.en.empty() ? Json() : Json(outcome.extent.en)},
          {"kind", outcome.rule != nullptr ? Json(words_of(outcome.rule->decision.kind).en) : Json()},
          {"rule", rule_json(outcome.rule)},
          {"reason", outcome.verdict.reason.en},
          {"study", json_of(outcome.claim->study)},
          {"number", outcome.number() != nullptr ? Json(outcome.number()->name) : Json()},
          {"numbers", json_of(outcome.numbers)}};
}

Json json_of(const RunFacts& facts) {
  Json sizes = Json::object();
  for (const auto& size : facts.sizes) sizes[size.name] = size.value;
  return {{"name", facts.checkpoint}, {"path", facts.path}, {"hash", facts.checkpoint_hash}, {"sizes", sizes}};
}

// Without the time it took: the same run writes the same bytes.
Json json_of(const ExperimentResult& report) {
  Json left_out = Json::array();
  for (const auto& words : report.findings.left_out) left_out.push_back(words.en);
  const auto found = report.findings.numbers.find(kNoClaim);
  return {{"name", report.experiment->name},
          {"left_out", std::move(left_out)},
          {"numbers", json_of(found == report.findings.numbers.end() ? nullptr : &found->second)}};
}

}  // namespace

void write_results(const std::filesystem::path& folder, const RunFacts& facts,
                   std::span<const ExperimentResult> reports, const Ledger& ledger) {
  Json results{{"schema", 1},
               {"checkpoint", json_of(facts)},
               {"corpus",
                {{"name", facts.corpus.en},
                 {"hash", facts.corpus_hash},
                 {"warning", facts.corpus_warning.en.empty() ? Json() : Json(facts.corpus_warning.en)}}},
               {"seed", facts.seed},
               {"quick", facts.quick},
               {"command", facts.command},
               {"versions", facts.versions},
               {"in_short", Json::array()},
               {"experiments", Json::array()},
               {"claims", Json::array()}};
  for (const auto& [question, sentence, more] : short_answers(reports)) {
    results["in_short"].push_back({{"question", question.en}, {"answer", sentence.en}, {"more", more.en}});
  }
  for (const auto& report : reports) results["experiments"].push_back(json_of(report));
  for (const auto& outcome : outcomes(reports, ledger.claims)) results["claims"].push_back(json_of(outcome));

  // Paths and corpora come from anybody: bytes that are not UTF-8 become U+FFFD.
  write_whole(folder / "results.json", results.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace summand::lab
