#include "train/study/study_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "train/run/whole_file.hpp"
#include "train/study/study_findings.hpp"
#include "train/study/study_page.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson json_of(const lab::Interval& interval) {
  return OrderedJson::array({interval.low, interval.high});
}

OrderedJson json_of(const Comparison& one) {
  OrderedJson json{{"name", one.contrast->name()},
                   {"family", one.contrast->family},
                   {"task", one.contrast->task},
                   {"arm", one.contrast->arm},
                   {"against", one.contrast->against}};
  if (one.contrast->against_task != one.contrast->task) json["against_task"] = one.contrast->against_task;
  if (!one.contrast->stratum.empty()) json["stratum"] = one.contrast->stratum;
  if (!one.is_of_losses()) json["measure"] = model::name_of(one.contrast->measure);
  json["margin"] = one.contrast->margin;
  json["pairs"] = one.seeds.size();
  json["above_zero"] = std::ranges::count_if(one.differences, [](double difference) { return difference > 0; });
  json["mean"] = one.mean;
  json["deviation"] = one.deviation;
  json["interval"] = json_of(one.interval);
  json["narrower_interval"] = json_of(one.narrower);
  json["p_difference"] = one.judgement.p_difference;
  json["p_equivalent"] = one.judgement.p_equivalent;
  json["verdict"] = one.verdict_word();
  if (one.unseen) json["why"] = "the differences lie within the margin, but no damaged arm came out worse on this task";
  if (one.more_tokens) json["more_tokens"] = *one.more_tokens;
  return json;
}

OrderedJson json_of(const ArmSummary& arm) {
  OrderedJson json{{"task", arm.task}, {"arm", arm.arm},     {"runs", arm.rows.size()},
                   {"left", arm.left}, {"stuck", arm.stuck}, {"diverged", arm.diverged}};
  json["tokens_to_half"] = arm.tokens_to_half ? OrderedJson(*arm.tokens_to_half) : OrderedJson();
  json["tokens_to_most"] = arm.tokens_to_most ? OrderedJson(*arm.tokens_to_most) : OrderedJson();
  std::set<std::string> strata;
  for (const StudyRow* row : arm.rows) {
    for (const auto& [name, stratum] : row->strata) strata.insert(name);
  }
  json["strata"] = OrderedJson::object();
  for (const std::string& name : strata) json["strata"][name] = *arm.left_of(name);
  return json;
}

OrderedJson json_of(const StudyFindings& findings) {
  OrderedJson json{{"study", findings.plan->name},
                   {"plan", findings.plan->hash},
                   {"runs", findings.runs},
                   {"planned", findings.planned},
                   {"level", findings.plan->level}};
  json["comparisons"] = OrderedJson::array();
  for (const Comparison& one : findings.comparisons) json["comparisons"].push_back(json_of(one));
  json["arms"] = OrderedJson::array();
  for (const ArmSummary& arm : findings.arms) json["arms"].push_back(json_of(arm));
  if (findings.simulated) {
    const SimulatedStudies& simulated = *findings.simulated;
    json["simulated"] = {{"studies", simulated.studies},
                         {"differing_at_zero", simulated.differing_at_zero},
                         {"equivalent_at_margin", simulated.equivalent_at_margin},
                         {"differing_at_margin", simulated.differing_at_margin},
                         {"found_equivalent", simulated.found_equivalent},
                         {"found_hurts", simulated.found_hurts}};
  }
  return json;
}

/// "rate, read with 1 masked": "rate-read-with-1-masked.svg"
std::string figure_file(std::string name) {
  std::erase(name, ',');
  std::ranges::replace(name, ' ', '-');
  return name + ".svg";
}

}  // namespace

std::string write_study_report(const StudyPlan& plan, const std::vector<StudyRow>& rows,
                               const std::filesystem::path& folder) {
  const StudyFindings findings = find_in(plan, rows);
  std::filesystem::create_directories(folder / "figures");
  for (const auto& [name, svg] : figures_of(findings)) write_whole(folder / "figures" / figure_file(name), svg);
  write_whole(folder / "verdicts.json", json_of(findings).dump(1) + "\n");
  write_whole(folder / "index.html", study_page(findings));
  std::string lines;
  for (const Comparison& one : findings.comparisons) lines += comparison_line(one) + "\n";
  return lines;
}

}  // namespace summand::train
