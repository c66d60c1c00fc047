#include "train/finetune/results_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "train/chart.hpp"

namespace summand::train {

namespace {

using nlohmann::json;

constexpr size_t kMostLabels = 30;  // of a table that is read

std::string cell(const std::string& text) {
  return "<td>" + to_html(text) + "</td>";
}

std::string cell_of(const json& score) {
  const json& interval = score.at("interval");
  return fmt::format("<td>{:.3f} <span class=\"soft\">[{:.3f}, {:.3f}]</span></td>", score.at("value").get<double>(),
                     interval.at(0).get<double>(), interval.at(1).get<double>());
}

/// One row for the network, one for each baseline.
std::string score_table(const json& portion) {
  const json& scores = portion.at("scores");
  std::string head = "<tr><td></td>";
  for (const auto& [name, score] : scores.items()) head += cell(name);
  const auto row = [&](const std::string& name, const json& of) {
    std::string cells = "<tr>" + cell(name);
    for (const auto& [score, value] : scores.items()) cells += cell_of(of.at(score));
    return cells + "</tr>\n";
  };
  std::string rows = row("this model", scores);
  if (portion.contains("baselines")) {
    for (const auto& [name, of] : portion.at("baselines").items()) rows += row(name, of);
  }
  return "<table>" + head + "</tr>\n" + rows + "</table>\n";
}

/// The labels that most rows have, in the model's order. Cells are shaded by their share of the row.
std::string confusion_table(const json& confusion) {
  const auto names = confusion.at("labels").get<std::vector<std::string>>();
  const auto counts = confusion.at("truth_by_prediction").get<std::vector<std::vector<uint64_t>>>();
  const auto total = [&](size_t label) {
    uint64_t sum = 0;
    for (const uint64_t count : counts[label]) sum += count;
    return sum;
  };
  std::vector<size_t> shown(names.size());
  for (size_t label = 0; label < shown.size(); ++label) shown[label] = label;
  if (shown.size() > kMostLabels) {
    std::ranges::stable_sort(shown, std::greater(), total);
    shown.resize(kMostLabels);
    std::ranges::sort(shown);
  }
  std::string table = "<table class=\"confusion\"><tr><td>truth \\ prediction</td>";
  for (const size_t label : shown) table += cell(names[label]);
  for (const size_t truth : shown) {
    table += "</tr>\n<tr>" + cell(names[truth]);
    for (const size_t label : shown) {
      const uint64_t count = counts[truth][label];
      const double share = static_cast<double>(count) / static_cast<double>(std::max<uint64_t>(1, total(truth)));
      table += fmt::format("<td style=\"background: rgb({} / {:.2f})\">{}</td>",
                           truth == label ? "46 160 67" : "218 54 51", share, count);
    }
  }
  const std::string left_out =
      shown.size() < names.size() ? fmt::format("<p>The {} most common labels of {}.</p>\n", shown.size(), names.size())
                                  : "";
  return table + "</tr></table>\n" + left_out;
}

std::string mistake_table(const json& mistakes) {
  std::string rows = "<tr><td>where</td><td>text</td><td>truth</td><td>predicted</td><td>how far</td></tr>\n";
  for (const json& one : mistakes) {
    rows += "<tr>";
    for (const auto* key : {"where", "text", "truth", "predicted"}) rows += cell(one.at(key).get<std::string>());
    rows += fmt::format("<td>{:.3f}</td></tr>\n", one.at("severity").get<double>());
  }
  return "<table class=\"mistakes\">" + rows + "</table>\n";
}

}  // namespace

std::string results_html(const json& metrics) {
  std::string html;
  for (const auto* portion : {"test", "validation"}) {
    if (!metrics.contains(portion)) continue;
    const json& own = metrics.at(portion);
    html += fmt::format("<h2>{}: {} rows, best step {}</h2>\n", portion, own.at("rows").get<size_t>(),
                        metrics.at("best_step").get<int64_t>());
    html += score_table(own);
    if (own.contains("confusion")) html += "<h3>Confusion</h3>\n" + confusion_table(own.at("confusion"));
    if (!own.at("mistakes").empty()) html += "<h3>The worst mistakes</h3>\n" + mistake_table(own.at("mistakes"));
  }
  return html;
}

}  // namespace summand::train
