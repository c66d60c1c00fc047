#include "lab/report/comparison_files.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/report/assets.hpp"
#include "lab/report/figure_csv.hpp"
#include "lab/report/in_short_json.hpp"
#include "lab/report/page_parts.hpp"
#include "lab/report/whole_file.hpp"
#include "lab/report/words_json.hpp"

namespace summand::lab {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Json json_of(const std::optional<ReferenceValue>& reference) {
  return reference ? Json(reference->value) : Json();
}

Json json_of(const Number* number) {
  if (number == nullptr) return {};
  return {{"value", number->value},
          {"interval", number->interval},
          {"null", json_of(number->null)},
          {"control", json_of(number->control)}};
}

/// A text as compare.json has it, in English, or as the page has it, in both languages.
using Said = Json (*)(const LocalizedText&);

Json in_english(const LocalizedText& words) {
  return words.en;
}

Json json_of(const ComparedNumber& number, Said said) {
  Json values = Json::array();
  Json likeness = Json::array();
  for (const auto* one : number.of) values.push_back(json_of(one));
  for (const auto one : number.likeness) likeness.push_back(words_of(one).en);
  return {{"name", number.name},
          {"label", said(number.label)},
          {"values", std::move(values)},
          {"likeness", std::move(likeness)},
          {"relative", number.relative}};
}

Json json_of(const ComparedClaim& claim, Said said) {
  Json verdicts = Json::array();
  for (size_t checkpoint = 0; checkpoint < claim.verdicts.size(); ++checkpoint) {
    const Verdict& verdict = claim.verdicts[checkpoint];
    const auto& conclusion = claim.conclusions[checkpoint];
    const bool told = conclusion && conclusion->told_by != nullptr;
    verdicts.push_back({{"observation", words_of(verdict.observation).en},
                        {"inference", words_of(verdict.inference).en},
                        {"conclusion", words_of_conclusion(conclusion).en},
                        {"conclusion_by", told ? Json(conclusion->told_by->id) : Json()},
                        {"conclusion_extent", said(conclusion ? conclusion->extent : LocalizedText{})},
                        {"reason", said(verdict.reason)}});
  }
  Json numbers = Json::array();
  for (const auto& number : claim.numbers) numbers.push_back(json_of(number, said));
  return {{"id", claim.claim->id},
          {"claim", said(claim.claim->claim)},
          {"question", claim.experiment->name},
          {"measured_on", claim.measured()},
          {"verdicts_differ", claim.verdicts_differ()},
          {"verdicts", std::move(verdicts)},
          {"numbers", std::move(numbers)}};
}

Json json_of(const ComparedRun& run, Said said) {
  Json sizes = Json::array();
  for (const auto& size : run.run.facts.sizes) {
    sizes.push_back({{"name", size.name}, {"words", said(size.words)}, {"value", size.value}});
  }
  return {{"folder", run.folder},
          {"name", run.run.facts.checkpoint},
          {"path", run.run.facts.path},
          {"hash", run.run.facts.checkpoint_hash},
          {"sizes", std::move(sizes)},
          {"corpus", said(run.run.facts.corpus)},
          {"identical_to", run.identical_to ? Json(*run.identical_to) : Json()},
          {"in_short", in_short_json<Json>(in_short(run.run.reports), said)}};
}

Json comparison_json(std::span<const ComparedRun> runs, const std::vector<ComparedClaim>& claims,
                     const std::string& command, Said said) {
  const auto& facts = runs.front().run.facts;
  Json json{{"schema", 1},
            {"corpus", said(facts.corpus)},        // of the first alone: every checkpoint has its own
            {"seed", std::to_string(facts.seed)},  // may be beyond what a JavaScript number holds
            {"quick", facts.quick},
            {"command", command},
            {"comparable", comparable(claims)},
            {"verdicts_that_differ", std::ranges::count_if(claims, &ComparedClaim::verdicts_differ)},
            {"checkpoints", Json::array()},
            {"claims", Json::array()}};
  for (const auto& run : runs) json["checkpoints"].push_back(json_of(run, said));
  for (const auto& claim : claims) json["claims"].push_back(json_of(claim, said));
  return json;
}

std::string page_of(std::span<const ComparedRun> runs, const std::vector<ComparedClaim>& claims,
                    const std::string& command) {
  nlohmann::json data = comparison_json(runs, claims, command, both_languages<Json>);
  data["verdict_words"] = verdict_words();
  for (const auto likeness : {Likeness::identical, Likeness::rounding, Likeness::different, Likeness::missing}) {
    data["likeness_words"][words_of(likeness).en] = both_languages<nlohmann::json>(words_of(likeness));
  }
  // What the report's scripts look up, and a comparison has none of.
  for (const char* name : {"documents", "questions", "glossary"}) data[name] = nlohmann::json::array();
  std::string page;
  std::string_view rest = assets::compare_html;
  fill(page, rest, "{{style}}", std::string(assets::page_css) + std::string(assets::compare_css));
  fill(page, rest, "{{report}}", script_safe(data));
  fill(page, rest, "{{words}}", assets::words_js);
  fill(page, rest, "{{elements}}", assets::elements_js);
  fill(page, rest, "{{verdicts}}", assets::verdicts_js);
  fill(page, rest, "{{compare}}", assets::compare_js);
  page.append(rest);
  return page;
}

/// Value, null and control, each with the ends of its interval; NaN where there is none.
std::array<double, 9> with_ends(const Number* number) {
  std::array<double, 9> values{};
  values.fill(kNaN);
  const auto put = [&](size_t at, const auto& one) {
    values[at] = one.value;
    if (!one.interval) return;
    values[at + 1] = one.interval->low;
    values[at + 2] = one.interval->high;
  };
  if (number == nullptr) return values;
  put(0, *number);
  if (number->null) put(3, *number->null);
  if (number->control) put(6, *number->control);
  return values;
}

/// A line for every number of every checkpoint; for a claim without numbers one with its verdicts alone.
class CsvColumns {
 public:
  void add(const ComparedClaim& claim, const std::string& folder, size_t checkpoint, const ComparedNumber* number) {
    const std::vector<std::string> texts{claim.claim->id,
                                         claim.experiment->name,
                                         number != nullptr ? number->name : "",
                                         number != nullptr ? number->label.en : "",
                                         folder,
                                         words_of(claim.verdicts[checkpoint].observation).en,
                                         words_of(claim.verdicts[checkpoint].inference).en,
                                         words_of_conclusion(claim.conclusions[checkpoint]).en,
                                         number != nullptr ? words_of(number->likeness[checkpoint]).en : ""};
    const auto values = with_ends(number != nullptr ? number->of[checkpoint] : nullptr);
    for (size_t i = 0; i < texts.size(); ++i) texts_[i].push_back(texts[i]);
    for (size_t i = 0; i < values.size(); ++i) values_[i].push_back(values[i]);
    relative_.push_back(number != nullptr ? number->relative[checkpoint] : kNaN);
  }

  [[nodiscard]] std::string text() const {
    constexpr std::array kTexts{"claim",       "experiment", "number",     "label",   "checkpoint",
                                "observation", "inference",  "conclusion", "likeness"};
    constexpr std::array kValues{"value",     "low",     "high",        "null",        "null_low",
                                 "null_high", "control", "control_low", "control_high"};
    FigureData data;
    for (size_t i = 0; i < kTexts.size(); ++i) data.columns.push_back({kTexts[i], texts_[i]});
    for (size_t i = 0; i < kValues.size(); ++i) data.columns.push_back({kValues[i], values_[i]});
    data.columns.push_back({"relative_difference", relative_});
    return csv_of({.name = "", .title = {}, .caption = {}, .specification = {}, .data = std::move(data)});
  }

 private:
  std::array<std::vector<std::string>, 9> texts_;
  std::array<std::vector<double>, 9> values_;
  std::vector<double> relative_;
};

std::string csv_of_comparison(std::span<const ComparedRun> runs, const std::vector<ComparedClaim>& claims) {
  CsvColumns columns;
  for (const auto& claim : claims) {
    for (size_t checkpoint = 0; checkpoint < runs.size(); ++checkpoint) {
      if (claim.numbers.empty()) columns.add(claim, runs[checkpoint].folder, checkpoint, nullptr);
      for (const auto& number : claim.numbers) columns.add(claim, runs[checkpoint].folder, checkpoint, &number);
    }
  }
  return columns.text();
}

}  // namespace

void write_comparison(const std::filesystem::path& folder, std::span<const ComparedRun> runs,
                      const std::string& command) {
  const auto claims = compared_claims(runs);
  const Json json = comparison_json(runs, claims, command, in_english);
  write_whole(folder / "compare.json", json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  write_whole(folder / "compare.csv", csv_of_comparison(runs, claims));
  write_whole(folder / "index.html", page_of(runs, claims, command));
}

}  // namespace summand::lab
