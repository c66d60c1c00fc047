#include "train/study/study_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "train/run/chart.hpp"
#include "train/run/page_head.hpp"

namespace summand::train {

namespace {

constexpr std::string_view kPageStyle = R"(<style>
.answer { font-size: 20px; line-height: 1.4; margin: 16px 0 8px; max-width: 46em; }
figure { margin: 28px 0; overflow-x: auto; } figure svg { min-width: 560px; max-width: 960px; }
figcaption { color: var(--soft); font-size: 14px; max-width: 60em; }
.numbers { font-size: 14px; } .numbers :is(th, td) { padding: 4px 0; } .numbers :is(th, td) + :is(th, td) { padding-left: 12px; }
.numbers :is(th, td) { white-space: nowrap; } .numbers tr:first-child th { white-space: normal; } .numbers tr:first-child th { color: var(--soft); vertical-align: bottom; }
.shade { padding: 4px 10px; text-align: right; }
</style>
)";

/// Published comparisons of the same things, for the reader to set beside ours.
struct Published {
  std::string_view who, what;
};
constexpr std::array kPublished{
    Published{
        "TUPE (Ke et al. 2021), table 1",
        "GLUE average 82.96 with the sum, 83.64 with projections of the positions' own, 83.81 without cross terms. "
        "Essentially one pre-training run each."},
    Published{
        "DIET (Chen et al. 2021), table 2",
        "GLUE average 84.8 with the sum, 85.2 with position and segment inside attention. Essentially one run each."},
    Published{"Haviv et al. 2022, table 4",
              "Masked-word perplexity 4.06 with learned positions, 4.07 with sinusoidal ones, 147.18 with none. One "
              "run each."},
    Published{
        "Lasri et al. 2022 (abstract)",
        "An artificial language whose distribution is known: with one masked word a model without positions loses "
        "little, and the need for positions grows with the share of words that are masked."},
    Published{
        "van der Goot et al. 2022",
        "With segment rows set to zero before fine-tuning, most results on classification stay within the spread of "
        "seeds; multilingual cased BERT parses better so, with a tenth of the data."},
    Published{"Wang & Chen 2020",
              "How well positions can be read from learned tables: mean absolute error 34.1 positions for BERT's, 1.0 "
              "for GPT-2's."},
};

const char* plural(size_t count, const char* one, const char* more) {
  return count == 1 ? one : more;
}

/// "none on topic, gate on combined"
std::string alternatives(const std::vector<const Comparison*>& comparisons, const char* on) {
  std::vector<std::string> names;
  for (const Comparison* one : comparisons) {
    names.push_back(fmt::format("{}{}{}", one->contrast->against, on, one->contrast->task));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string figure(const std::string& svg, const std::string& caption) {
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption></figure>\n", svg, caption);
}

std::string percent_text(double share, int digits = 2) {
  return fmt::format("{:.{}f}", 100 * share, digits);
}

/// All numbers of the comparisons of a family; empty where it has none.
std::string number_table(const StudyFindings& findings, const std::string& family) {
  const std::string head = fmt::format(
      "<tr><th></th><th>mean</th><th>{:g} % interval</th><th>SD</th><th>margin</th><th>seeds</th>"
      "<th>p, beyond the margin</th><th>p, within it</th><th>more tokens</th><th>verdict</th></tr>\n",
      100 * (1 - findings.plan->level));
  std::string rows = head;
  for (const Comparison& one : findings.comparisons) {
    if (one.contrast->family != family) continue;
    rows += fmt::format(
        "<tr><th>{}</th><td>{:+.2f}{}</td><td>[{:+.2f}, "
        "{:+.2f}]</td><td>{:.2f}</td><td>{:g}</td><td>{}</td><td>{:.2g}</td><td>{:.2g}</td><td>{}</td><td>{}{}</td></"
        "tr>\n",
        to_html(one.contrast->name()), one.shown(one.mean), one.unit(), one.shown(one.interval.low),
        one.shown(one.interval.high), one.shown(one.deviation), one.shown(one.contrast->margin), one.seeds.size(),
        one.judgement.p_difference, one.judgement.p_equivalent,
        one.more_tokens ? fmt::format("{:+.0f} %", 100 * *one.more_tokens) : "–", one.verdict_word(),
        one.unseen ? " (the study cannot see here)" : "");
  }
  if (rows == head) return "";
  return "<div class=\"wide\"><table class=\"numbers\">\n" + rows + "</table></div>\n";
}

std::string tokens_text(std::optional<double> tokens) {
  return tokens ? fmt::format("{:.2f} M", *tokens / 1e6) : "never";
}

/// Every arm: what is left, which runs are stuck, how soon it learns.
std::string arm_table(const StudyFindings& findings) {
  std::string rows =
      "<tr><th>task</th><th>arm</th><th>runs</th><th>% left</th><th>stuck</th><th>diverged</th><th>tokens to 50 %</th>"
      "<th>tokens to 90 %</th></tr>\n";
  for (const ArmSummary& arm : findings.arms) {
    rows += fmt::format(
        "<tr><th>{}</th><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", arm.task,
        arm.arm, arm.rows.size(), percent_text(arm.left), arm.stuck, arm.diverged, tokens_text(arm.tokens_to_half),
        tokens_text(arm.tokens_to_most));
  }
  return "<div class=\"wide\"><table class=\"numbers\">\n" + rows + "</table></div>\n";
}

/// A task whose answers depend on different things: what each arm leaves of each.
std::string strata_table(const StudyFindings& findings, const std::string& task) {
  std::set<std::string> names;
  for (const ArmSummary& arm : findings.arms) {
    if (arm.task != task) continue;
    for (const StudyRow* row : arm.rows) {
      for (const auto& [name, stratum] : row->strata) names.insert(name);
    }
  }
  if (names.size() < 2) return "";
  std::string rows = "<tr><th></th>";
  for (const std::string& name : names) rows += fmt::format("<th>{}</th>", to_html(name));
  rows += "</tr>\n";
  for (const ArmSummary& arm : findings.arms) {
    if (arm.task != task) continue;
    rows += fmt::format("<tr><th>{}</th>", arm.arm);
    for (const std::string& name : names) {
      const auto left = arm.left_of(name);
      rows += left ? fmt::format("<td class=\"shade\" style=\"background:rgb(213 94 0 / {:.2f})\">{}</td>",
                                 std::clamp(*left, 0.0, 1.0) * 0.7, percent_text(*left, 1))
                   : "<td class=\"shade\">–</td>";
    }
    rows += "</tr>\n";
  }
  return fmt::format("<h3>{}</h3>\n<div class=\"wide\"><table class=\"numbers\">\n{}</table></div>\n", task, rows);
}

/// What each arm changes, as the plan has it.
std::string arm_definitions(const StudyPlan& plan) {
  std::string rows;
  for (const Arm& arm : plan.arms) {
    std::vector<std::string> changes;
    if (arm.config != "{}") changes.push_back(arm.config);
    if (arm.start != FirstValues::drawn) changes.push_back(fmt::format("start: {}", model::name_of(arm.start)));
    if (arm.misread > 0) changes.push_back(fmt::format("misreads {:g} % of what it sees", 100 * arm.misread));
    if (arm.masked) changes.push_back(fmt::format("{} symbols masked in training", *arm.masked));
    if (arm.predicted) changes.push_back(fmt::format("{} of them predicted", *arm.predicted));
    if (arm.learning_rate) changes.push_back(fmt::format("rate {:g}", *arm.learning_rate));
    rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", arm.name,
                        changes.empty() ? "the plan’s model" : to_html(fmt::format("{}", fmt::join(changes, "; "))));
  }
  return "<table class=\"facts\">\n" + rows + "</table>\n";
}

std::string simulated_text(const StudyFindings& findings) {
  if (!findings.simulated) return "";
  const SimulatedStudies& one = *findings.simulated;
  return fmt::format(
      "<p>{0} studies were simulated by drawing the differences of the primary comparisons anew. Where no arm "
      "differed, {1} of {0} called one "
      "different. Where every arm differed by exactly the margin, {2} of {0} called one equivalent and {3} called one "
      "different. "
      "(The level allows {4:g} in a hundred.) Of the arms that did not differ, {5} % were found equivalent; of those "
      "that were worse by "
      "twice the margin, {6} % were found to hurt.</p>\n",
      one.studies, one.differing_at_zero, one.equivalent_at_margin, one.differing_at_margin, 100 * findings.plan->level,
      percent_text(one.found_equivalent, 0), percent_text(one.found_hurts, 0));
}

std::string rule_text(const StudyPlan& plan) {
  std::string text = fmt::format(
      "<p>Two arms of a seed have the same tables, the same sequences, the same masks, and the same first values of "
      "every parameter of the same "
      "name. Their difference in excess is divided by the gap of that seed, the distance between guessing without "
      "context and the best possible "
      "prediction. Verdicts are about the mean of these differences, by Student's t:</p>\n<ul class=\"notes\">"
      "<li><b>hurts</b>, <b>helps</b>: the mean lies beyond the margin of {0:g} % (two-sided, level {1:g} %);</li>"
      "<li><b>equivalent</b>: the mean lies within the margin on both sides (two one-sided tests, level {1:g} %), and "
      "an arm that was damaged on purpose came "
      "out as <i>hurts</i> on the same task;</li><li><b>inconclusive</b>: neither.</li></ul>\n"
      "<p>Within a family of comparisons both kinds of p-values are adjusted by Holm’s method. Intervals are those of "
      "each comparison alone. "
      "“More tokens” is how much longer the first arm trained than the second needed for the same loss (negative: the "
      "second "
      "is the worse), read from the curves of single runs whose rate was still falling: an indication, and none where "
      "the better arm was there before its first evaluation.</p>\n",
      100 * plan.margin, 100 * plan.level);
  if (!std::ranges::all_of(plan.contrasts, &Contrast::is_of_losses)) {
    text +=
        "<p>A measure of position tables is no loss: its differences are not divided, have margins of their own, "
        "need no damaged arm, and beyond the margin are <b>larger</b> or <b>smaller</b>. Arms on two tasks share no "
        "sequences.</p>\n";
  }
  return text;
}

std::string limits_text(const StudyFindings& findings) {
  const auto model = nlohmann::json::parse(findings.plan->model);
  const auto layers = model.at("num_hidden_layers").get<size_t>();
  std::set<int> widths;
  for (const Arm& arm : findings.plan->arms) {
    auto config = model;
    config.merge_patch(nlohmann::json::parse(arm.config));
    widths.insert(config.at("hidden_size").get<int>());
  }
  return fmt::format(
      "<p class=\"soft\">What it is about: models of {} {}, {} wide, trained from scratch for {} steps of {} "
      "sequences on drawn tasks. It says "
      "nothing of larger models, of text, or of fine-tuning. {} of {} planned runs are finished; plan {}.</p>\n",
      layers, plural(layers, "layer", "layers"), fmt::join(widths, ", "), findings.plan->learning.steps,
      findings.plan->batch_sequences, findings.runs, findings.planned, findings.plan->hash);
}

/// Of a plan with another question, or without a primary one: how many comparisons have each verdict.
StudyAnswer counts_of_verdicts(const StudyFindings& findings) {
  struct Word {
    std::string_view en, zh;
  };
  static constexpr std::array kWords{Word{"hurts", "更差"},      Word{"helps", "更好"},
                                     Word{"larger", "更大"},     Word{"smaller", "更小"},
                                     Word{"equivalent", "等效"}, Word{"inconclusive", "无法判断"}};
  std::vector<std::string> en, zh;
  size_t all = 0;
  for (const Word& word : kWords) {
    const auto count = static_cast<size_t>(std::ranges::count_if(findings.comparisons, [&](const Comparison& one) {
      return one.contrast->family != kAssay && one.verdict_word() == word.en;
    }));
    if (count == 0) continue;
    all += count;
    en.push_back(fmt::format("{} {}", word.en, count));
    zh.push_back(fmt::format("{} {} 项", word.zh, count));
  }
  if (en.empty()) return {"No comparison is finished.", "尚无完成的比较。"};
  return {
      fmt::format("Of {} {}: {}. Each is below.", all, plural(all, "comparison", "comparisons"), fmt::join(en, ", ")),
      fmt::format("在 {} 项比较中：{}。详见下文。", all, fmt::join(zh, "，"))};
}

/// Which primary comparisons could not have come out as worse, since the first arm leaves less than the margin itself.
std::string floor_text(const StudyFindings& findings) {
  std::vector<std::string> names;
  for (const Comparison& one : findings.comparisons) {
    if (one.contrast->family != kPrimary || !one.is_of_losses()) continue;
    const auto arm = std::ranges::find_if(findings.arms, [&](const ArmSummary& summary) {
      return summary.task == one.contrast->task && summary.arm == one.contrast->arm;
    });
    const auto is_below = [&](const StudyRow* row) { return row->left() < one.contrast->margin; };
    if (arm != findings.arms.end() && std::ranges::all_of(arm->rows, is_below)) names.push_back(one.contrast->name());
  }
  if (names.empty()) return "";
  return fmt::format(
      "<p class=\"soft\">Here the first arm itself leaves less than the margin, so it could not have come out as "
      "worse: {}.</p>\n",
      to_html(fmt::format("{}", fmt::join(names, "; "))));
}

/// The families of further comparisons, in the plan's order.
std::vector<std::string> further_families(const StudyFindings& findings) {
  std::vector<std::string> families;
  for (const Comparison& one : findings.comparisons) {
    const std::string& family = one.contrast->family;
    if (family == kPrimary || family == kAssay || std::ranges::find(families, family) != families.end()) continue;
    families.push_back(family);
  }
  return families;
}

}  // namespace

StudyAnswer answer_of(const StudyFindings& findings) {
  const bool is_about_adding = findings.plan->question == StudyPlan().question;
  if (!is_about_adding || !findings.plan->has_primary()) return counts_of_verdicts(findings);
  std::map<StudyVerdict, std::vector<const Comparison*>> by_verdict;
  size_t all = 0;
  for (const Comparison& one : findings.comparisons) {
    if (one.contrast->family != kPrimary) continue;
    by_verdict[one.judgement.verdict].push_back(&one);
    ++all;
  }
  if (all == 0) return {"No primary comparison is finished.", "主要比较尚未完成。"};
  const double margin = 100 * findings.plan->margin;
  std::vector<std::string> en, zh;
  const auto say = [&](StudyVerdict verdict, const std::string& english, const std::string& chinese) {
    const auto& found = by_verdict[verdict];
    if (found.empty()) return;
    en.push_back(fmt::format("{} in {} ({})", english, found.size(), alternatives(found, " on ")));
    zh.push_back(fmt::format("{} 项{}（{}）", found.size(), chinese, alternatives(found, "，任务 ")));
  };
  say(StudyVerdict::equivalent, fmt::format("makes no difference beyond {:g} % of what there is to learn", margin),
      fmt::format("与对照的差别不超过可学内容的 {:g} %", margin));
  say(StudyVerdict::helps, "is better", "相加更好");
  say(StudyVerdict::hurts, "is worse", "相加更差");
  say(StudyVerdict::inconclusive, "cannot be told from its alternative, nor called equal,", "无法判断");
  return {fmt::format("Of {} {} with an alternative, adding {}.", all, plural(all, "comparison", "comparisons"),
                      fmt::join(en, "; ")),
          fmt::format("在 {} 项与其他做法的比较中：{}。", all, fmt::join(zh, "；"))};
}

std::string study_page(const StudyFindings& findings) {
  const auto figures = figures_of(findings);
  const auto drawn = [&](const std::string& name, const std::string& caption) {
    const auto found = std::ranges::find(figures, name, &std::pair<std::string, std::string>::first);
    return found == figures.end() ? std::string() : figure(found->second, caption);
  };
  const StudyAnswer answer = answer_of(findings);
  std::string page = page_head(to_html(findings.plan->question));
  page += kPageStyle;
  page += fmt::format("<h1>{}</h1>\n<p class=\"answer\">{}</p>\n<p class=\"answer soft\" lang=\"zh\">{}</p>\n",
                      to_html(findings.plan->question), to_html(answer.en), to_html(answer.zh));
  page += drawn(std::string(kPrimary), fmt::format("The sum less its alternative: excess over the best possible loss, "
                                                   "as a share of what there is to learn. The band is "
                                                   "the margin of ±{:g} %. An arrow lies beyond the axis.",
                                                   100 * findings.plan->margin));
  page += floor_text(findings) + limits_text(findings);
  const bool has_primary = findings.plan->has_primary();
  std::string others;
  for (const std::string& family : further_families(findings)) {
    others += fmt::format("<h2>{}{}</h2>\n", has_primary ? "Further: " : "", to_html(family));
    others +=
        drawn(family,
              "The band is the margin; an arrow lies beyond the axis. Verdicts are adjusted within this family.") +
        number_table(findings, family);
  }
  if (!has_primary) page += others;
  page +=
      "<h2>How a verdict is reached</h2>\n" + rule_text(*findings.plan) + number_table(findings, std::string(kPrimary));
  if (const std::string seen = number_table(findings, std::string(kAssay)); !seen.empty()) {
    page += "<h2>Can the study see?</h2>\n";
    const bool has_redrawn = std::ranges::any_of(findings.plan->contrasts, [&](const Contrast& one) {
      return one.family == kAssay && findings.plan->arm(one.arm).start == FirstValues::redrawn;
    });
    page += drawn(std::string(kAssay),
                  fmt::format("An arm that misreads some symbols has to come out worse{}.",
                              has_redrawn ? "; the same arm drawn with other random numbers has not" : ""));
    page += simulated_text(findings) + seen;
  }
  page += "<h2>How near each arm comes</h2>\n";
  for (const PlannedTask& task : findings.plan->tasks) {
    page += drawn("gap-" + task.name, "0 % is the best possible prediction, 100 % a guess without context.");
  }
  std::string strata;
  for (const PlannedTask& task : findings.plan->tasks) strata += strata_table(findings, task.name);
  if (!strata.empty()) {
    page +=
        "<h2>What each arm leaves of what answers depend on</h2>\n<p>Per cent of the gap that is left, by what an "
        "answer "
        "depends on most "
        "(<code>docs/study-tasks.md</code>): of the gap of those answers alone.</p>\n" +
        strata;
  }
  page +=
      "<h2>How they learn</h2>\n<p>Medians over runs. A run that has not closed half of the gap at the end is called "
      "<i>stuck</i>, and is drawn by itself too, thinly.</p>\n<div class=\"charts\">\n";
  for (const auto& [name, svg] : figures) {
    if (name.starts_with("curves-")) page += svg;
  }
  page += "</div>\n" + arm_table(findings);
  if (has_primary) page += others;
  page += "<h2>The arms</h2>\n<p>Those of the standard plan in words: <code>docs/study.md</code>.</p>\n" +
          arm_definitions(*findings.plan);
  if (!has_primary) return page + "</body></html>\n";
  page += "<h2>What others report</h2>\n<table class=\"facts\">\n";
  for (const Published& one : kPublished) page += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", one.who, one.what);
  return page + "</table>\n</body></html>\n";
}

}  // namespace summand::train
