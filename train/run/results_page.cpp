#include "train/run/results_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/json_file.hpp"
#include "train/run/chart.hpp"
#include "train/run/most_common.hpp"

namespace summand::train {

namespace {

constexpr size_t kMostLabels = 30;        // of a table that is read
constexpr size_t kManyLabels = 8;         // for letters of the usual size
constexpr size_t kMostHeadingBytes = 40;  // of columns' names side by side
constexpr size_t kShortLabel = 6;         // bytes; about as wide as a count
constexpr const char* kAboutSeverity =
    "<p class=\"soft\">Severity is the probability of the wrong label, or how far a number is off; of sentence vectors "
    "that look for their pair, the loss.</p>\n";

std::string heading(const std::string& text) {
  return "<th>" + to_html(text) + "</th>";
}

std::string cell_of(const Json& score) {
  const Json& interval = score.at("interval");
  return fmt::format("<td>{:.3f} <span class=\"soft\">[{:.3f}, {:.3f}]</span></td>", score.at("value").get<double>(),
                     interval.at(0).get<double>(), interval.at(1).get<double>());
}

/// One row for the network, one for each baseline.
std::string score_table(const Json& portion) {
  const Json& scores = portion.at("scores");
  std::string head = "<tr><th></th>";
  for (const auto& [name, score] : scores.items()) head += heading(name);
  const auto row = [&](const std::string& name, const Json& of) {
    std::string cells = "<tr>" + heading(name);
    for (const auto& [score, value] : scores.items()) cells += cell_of(of.at(score));
    return cells + "</tr>\n";
  };
  std::string rows = row("this model", scores);
  if (portion.contains("baselines")) {
    for (const auto& [name, of] : portion.at("baselines").items()) rows += row(name, of);
  }
  return "<div class=\"wide\"><table class=\"scores\">" + head + "</tr>\n" + rows + "</table></div>\n";
}

/// A heading that shows a long label's beginning, and all of it under the pointer.
std::string label_heading(const std::string& label) {
  return fmt::format("<th><span title=\"{0}\">{0}</span></th>", to_html(label));
}

/// How a table of so many labels is set: many in small letters, and long names of many columns upright.
std::string confusion_class(const std::vector<std::string>& names, const std::vector<size_t>& shown) {
  size_t all = 0, longest = 0;
  for (const size_t label : shown) {
    all += names[label].size();
    longest = std::max(longest, names[label].size());
  }
  std::string result = "confusion";
  if (shown.size() > kManyLabels) result += " many";
  if (all > kMostHeadingBytes && longest > kShortLabel) result += " upright";
  return result;
}

/// A count on a colour that is as strong as its share of the row.
std::string count_cell(uint64_t count, double share, bool right) {
  if (count == 0) return "<td class=\"soft\">0</td>";
  return fmt::format("<td style=\"background: rgb({} / {:.2f})\">{}</td>", right ? "46 160 67" : "218 54 51", share,
                     count);
}

/// The labels that most rows have, in the model's order.
std::string confusion_table(const Json& confusion) {
  const auto names = confusion.at("labels").get<std::vector<std::string>>();
  const auto counts = confusion.at("truth_by_prediction").get<std::vector<std::vector<uint64_t>>>();
  std::vector<uint64_t> totals;
  for (const auto& of_label : counts) totals.push_back(std::accumulate(of_label.begin(), of_label.end(), uint64_t{0}));
  const std::vector<size_t> shown = most_common(totals, kMostLabels);
  std::string table =
      fmt::format("<div class=\"wide\"><table class=\"{}\"><tr><th class=\"soft\">truth \\ prediction</th>",
                  confusion_class(names, shown));
  for (const size_t label : shown) table += label_heading(names[label]);
  for (const size_t truth : shown) {
    table += "</tr>\n<tr>" + label_heading(names[truth]);
    const auto all = static_cast<double>(std::max<uint64_t>(1, totals[truth]));
    for (const size_t label : shown) {
      const uint64_t count = counts[truth][label];
      table += count_cell(count, static_cast<double>(count) / all, truth == label);
    }
  }
  const auto labels = confusion.at("of_labels").get<size_t>();
  const std::string left_out =
      shown.size() < labels
          ? fmt::format("<p class=\"soft\">The {} most common labels of {}.</p>\n", shown.size(), labels)
          : "";
  return table + "</tr></table></div>\n" + left_out;
}

/// Each mistake's text, and below it what was right, what was predicted, how far that is, and where the row is.
std::string mistake_list(const Json& mistakes) {
  std::string items;
  for (const Json& one : mistakes) {
    const auto value = [&](const char* key) { return to_html(one.at(key).get<std::string>()); };
    const auto told = [](const char* name, const std::string& text) {
      return fmt::format("<span><span class=\"soft\">{}</span> {}</span> ", name, text);
    };
    items += fmt::format("<li><p>{}</p><p class=\"told\">{}{}{}<span class=\"soft\">{}</span></p></li>\n",
                         value("text"), told("truth", value("truth")), told("predicted", value("predicted")),
                         told("severity", fmt::format("{:.3f}", one.at("severity").get<double>())), value("where"));
  }
  return "<ol class=\"mistakes\">\n" + items + "</ol>\n";
}

/// What was said of the files, and what to think of the scores.
std::string note_list(const Json& notes) {
  std::string items;
  for (const Json& note : notes) items += "<li>" + to_html(note.get<std::string>()) + "</li>\n";
  return items.empty() ? "" : "<h2>What to know</h2>\n<ul class=\"notes\">\n" + items + "</ul>\n";
}

}  // namespace

std::string results_html(const Json& metrics) {
  std::string html = note_list(metrics.at("notes"));
  for (const auto& [portion, title] : {std::pair("test", "Test"), std::pair("validation", "Validation")}) {
    if (!metrics.contains(portion)) continue;
    const Json& own = metrics.at(portion);
    html += fmt::format("<h2>{} <span class=\"soft\">{} rows, the checkpoint of step {}</span></h2>\n", title,
                        own.at("rows").get<size_t>(), metrics.at("best_step").get<int64_t>());
    html += score_table(own);
    if (own.contains("confusion")) html += "<h3>Confusion</h3>\n" + confusion_table(own.at("confusion"));
    if (!own.at("mistakes").empty()) {
      html += "<h3>The worst mistakes</h3>\n" + std::string(kAboutSeverity) + mistake_list(own.at("mistakes"));
    }
  }
  return html;
}

}  // namespace summand::train
