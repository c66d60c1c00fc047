#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "lab/calibration/calibration_file.hpp"
#include "lab/report/assets.hpp"
#include "lab/report/explorer_json.hpp"
#include "lab/report/glossary.hpp"
#include "lab/report/in_short_json.hpp"
#include "lab/report/matrix_image.hpp"
#include "lab/report/page_parts.hpp"
#include "lab/report/report.hpp"
#include "lab/report/rounded_json.hpp"
#include "lab/report/specification.hpp"
#include "lab/report/whole_file.hpp"
#include "lab/report/words_json.hpp"
#include "lab/results/findings_json.hpp"
#include "lab/results/in_short.hpp"
#include "lab/results/outcome.hpp"
#include "lab/results/rule_state.hpp"
#include "lab/results/short_answers.hpp"

namespace summand::lab {
namespace {

using Json = nlohmann::json;

// Seven digits: more than anybody sees, and a page half as large. The CSV beside the page has them all.
Json seven_digits(double value) {
  return rounded_json(value, 7);
}

Json json_of(const Numbers* numbers) {
  return numbers != nullptr ? Json(*numbers) : Json::array();
}

Json json_of(const Outcome& outcome) {
  const auto& claim = *outcome.claim;
  Json result{{"id", claim.id},
              {"document", claim.document},
              {"quote", {{"text", claim.quote.text}, {"line", claim.quote.line}}},
              {"brief", json_of(claim.brief)},
              {"claim", json_of(claim.claim)},
              {"test", json_of(claim.test)},
              {"published", json_of(claim.published)},
              {"worked_out", json_of(claim.worked_out)},
              {"observation", words_of(outcome.verdict.observation).en},
              {"inference", words_of(outcome.verdict.inference).en},
              {"truth", words_of(outcome.truth).en},
              {"told_by", outcome.told_by != nullptr ? Json(outcome.told_by->id) : Json()},
              {"extent", json_of(outcome.extent)},
              {"reason", json_of(outcome.verdict.reason)},
              {"study", claim.study != nullptr
                            ? Json{{"verdict", words_of(claim.study->verdict).en}, {"text", json_of(claim.study->text)}}
                            : Json()},
              {"number", outcome.number() != nullptr ? Json(outcome.number()->name) : Json()},
              {"numbers", json_of(outcome.numbers)}};
  if (outcome.report != nullptr) {
    result["question"] = outcome.report->experiment->name;
    result["rule"] = {{"observation", json_of(outcome.rule->observation)},
                      {"inference", json_of(outcome.rule->inference)}};
    result["conclusion"] = json_of(outcome.rule->conclusion);
    result["kind"] = words_of(outcome.rule->decision.kind).en;
    result["rule_hash"] = rule_hash(*outcome.rule);
    result["rule_state"] = json_of(rule_state(*outcome.rule));
  }
  return result;
}

Json values_of(const std::vector<double>& numbers) {
  Json result = Json::array();
  for (const double number : numbers) result.push_back(seven_digits(number));
  return result;
}

Json values_of(const std::vector<std::string>& names) {
  return names;
}

// Each name once: there are a few, of a few series, in many rows.
Json values_of(const std::vector<LocalizedText>& names) {
  std::vector<LocalizedText> different;
  Json which = Json::array();
  for (const auto& name : names) {
    const auto found = std::ranges::find(different, name);
    which.push_back(found - different.begin());
    if (found == different.end()) different.push_back(name);
  }
  return {{"names", different}, {"which", std::move(which)}};
}

// Base64 of two bytes a cell takes 4 MB for these. A report with more of them shows its cells with two digits.
constexpr size_t kMostFineCells = 1'500'000;

CellBytes cell_bytes(std::span<const ExperimentResult> reports) {
  size_t cells = 0;
  for (const auto& report : reports) {
    for (const auto& figure : report.findings.figures) {
      if (const auto* matrix = std::get_if<MatrixData>(&figure.data)) cells += matrix->values.size();
    }
  }
  return cells <= kMostFineCells ? CellBytes::two : CellBytes::one;
}

struct PageData {
  CellBytes bytes;

  Json operator()(const FigureData& data) const {
    Json columns = Json::array();
    for (const auto& [name, values] : data.columns) {
      columns.push_back(
          {{"name", name}, {"values", std::visit([](const auto& given) { return values_of(given); }, values)}});
    }
    return {{"columns", std::move(columns)}};
  }
  Json operator()(const MatrixData& matrix) const {
    const auto codes = quantised(matrix, bytes);
    return {{"matrix",
             {{"rows", matrix.rows},
              {"columns", matrix.columns},
              {"row", json_of(matrix.row_label)},
              {"column", json_of(matrix.column_label)},
              {"value", json_of(matrix.value_label)},
              {"low", codes.low},
              {"step", codes.step},
              {"bytes", static_cast<int>(bytes)},
              {"codes", base64(codes.bytes)}}}};
  }
};

Json json_of(const Figure& figure, CellBytes bytes) {
  return {{"name", figure.name},
          {"title", json_of(figure.title)},
          {"caption", json_of(figure.caption)},
          {"specification", page_specification(figure)},
          {"data", std::visit(PageData{bytes}, figure.data)}};
}

Json json_of(const ExperimentResult& report, CellBytes bytes) {
  const auto& experiment = *report.experiment;
  Json claims = Json::array();
  for (const auto& rule : experiment.rules) claims.push_back(rule.claim);
  Json figures = Json::array();
  for (const auto& figure : report.findings.figures) figures.push_back(json_of(figure, bytes));
  const auto numbers = report.findings.numbers.find(kNoClaim);
  return {{"name", experiment.name},
          {"title", json_of(experiment.title)},
          {"question", json_of(experiment.question)},
          {"definition", json_of(experiment.definition)},
          {"source", json_of(experiment.source)},
          {"null", json_of(experiment.null)},
          {"control", json_of(experiment.control)},
          {"answer", json_of(answer_of(report))},
          {"remarks", report.findings.remarks},
          {"left_out", report.findings.left_out},
          {"seconds", seven_digits(report.seconds)},
          {"claims", std::move(claims)},
          {"numbers", json_of(numbers == report.findings.numbers.end() ? nullptr : &numbers->second)},
          {"figures", std::move(figures)}};
}

Json json_of(const RunFacts& facts) {
  Json sizes = Json::array();
  for (const auto& size : facts.sizes) sizes.push_back({{"words", json_of(size.words)}, {"value", size.value}});
  return {{"checkpoint", facts.checkpoint},
          {"path", facts.path},
          {"hash", facts.checkpoint_hash},
          {"sizes", std::move(sizes)},
          {"corpus", json_of(facts.corpus)},
          {"corpus_warning", json_of(facts.corpus_warning)},
          {"corpus_hash", facts.corpus_hash},
          {"seed", std::to_string(facts.seed)},  // may be beyond what a JavaScript number holds
          {"quick", facts.quick},
          {"versions", facts.versions},
          {"command", facts.command}};
}

/// As the file has it, and what decides beside the numbers that it has.
Json json_of(const Calibration& rules) {
  Json json = Json::parse(calibration_json(rules));
  for (auto& claim : json.at("claims")) claim["also"] = also_decides(claim.at("claim"));
  return json;
}

Json page_data(const RunFacts& facts, std::span<const ExperimentResult> reports, const Ledger& ledger,
               const Exploration& exploration, const Calibration& rules) {
  Json data{{"run", json_of(facts)},
            {"verdict_words", verdict_words()},
            {"theme", theme()},
            {"documents", Json::array()},
            {"claims", Json::array()},
            {"questions", Json::array()},
            {"glossary", Json::array()},
            {"in_short", in_short_json<Json>(in_short(reports), both_languages<Json>)},
            {"explorer", explorer_json(exploration)},
            {"calibration", json_of(rules)}};
  for (const auto& document : ledger.documents) {
    data["documents"].push_back(
        {{"name", document.name}, {"title", json_of(document.title)}, {"address", document.address}});
  }
  for (const auto& outcome : outcomes(reports, ledger.claims)) {
    Json claim = json_of(outcome);
    const auto experiment = facts.experiment_of.find(outcome.claim->id);
    if (experiment != facts.experiment_of.end()) claim["asked_by"] = experiment->second;
    data["claims"].push_back(std::move(claim));
  }
  const auto bytes = cell_bytes(reports);
  for (const auto& report : reports) data["questions"].push_back(json_of(report, bytes));
  for (const auto& term : glossary()) {
    data["glossary"].push_back({{"id", term.id},
                                {"name", json_of(term.name)},
                                {"meaning", json_of(term.meaning)},
                                {"in_texts", term.linked == Linked::in_texts},
                                {"elsewhere", term.elsewhere}});
  }
  return data;
}

}  // namespace

void write_page(const std::filesystem::path& folder, const RunFacts& facts, std::span<const ExperimentResult> reports,
                const Ledger& ledger, const Exploration& exploration, const Calibration& rules) {
  std::string page;
  std::string_view rest = assets::page_html;
  fill(page, rest, "{{style}}", assets::page_css);
  fill(page, rest, "{{explorer_style}}", assets::explorer_css);
  fill(page, rest, "{{report}}", script_safe(page_data(facts, reports, ledger, exploration, rules)));
  fill(page, rest, "{{licences}}", assets::licences_txt);
  fill(page, rest, "{{vega}}", assets::vega_js);
  fill(page, rest, "{{words}}", assets::words_js);
  fill(page, rest, "{{elements}}", assets::elements_js);
  fill(page, rest, "{{matrix}}", assets::matrix_js);
  fill(page, rest, "{{figures}}", assets::figures_js);
  fill(page, rest, "{{verdicts}}", assets::verdicts_js);
  fill(page, rest, "{{calibration}}", assets::calibration_js);
  fill(page, rest, "{{surrogates}}", assets::surrogates_js);
  fill(page, rest, "{{pages}}", assets::pages_js);
  fill(page, rest, "{{dials}}", assets::dials_js);
  fill(page, rest, "{{in_short}}", assets::in_short_js);
  fill(page, rest, "{{explorer_words}}", assets::explorer_words_js);
  fill(page, rest, "{{explorer_data}}", assets::explorer_data_js);
  fill(page, rest, "{{drawing}}", assets::drawing_js);
  fill(page, rest, "{{explorer_drawing}}", assets::explorer_drawing_js);
  fill(page, rest, "{{explorer_tokens}}", assets::explorer_tokens_js);
  fill(page, rest, "{{explorer_attention}}", assets::explorer_attention_js);
  fill(page, rest, "{{explorer_heads}}", assets::explorer_heads_js);
  fill(page, rest, "{{explorer_strength}}", assets::explorer_strength_js);
  fill(page, rest, "{{explorer_pairs}}", assets::explorer_pairs_js);
  fill(page, rest, "{{explorer}}", assets::explorer_js);
  fill(page, rest, "{{main}}", assets::main_js);
  page.append(rest);
  write_whole(folder / "index.html", page);
}

}  // namespace summand::lab
