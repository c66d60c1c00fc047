#include "train/run/run_page.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/json_file.hpp"
#include "terminal/duration.hpp"
#include "train/run/chart.hpp"
#include "train/run/page_head.hpp"
#include "train/run/results_page.hpp"
#include "train/run/run_state.hpp"
#include "train/run/whole_file.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostResults = size_t{1} << 26;
constexpr size_t kMostPoints = 600;  // of a line: more are not seen

/// Whether a run fine-tunes.
bool is_finetuning(const Json& run) {
  return run.at("options").contains("task");
}

/// Every line of metrics.jsonl.
std::vector<Json> metrics_in(const fs::path& folder) {
  std::vector<Json> lines;
  const std::string content = read_file(folder / "metrics.jsonl", kLongestMetrics);
  for (std::string_view rest = content; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    lines.push_back(parse_json(line, (folder / "metrics.jsonl").string()));
  }
  return lines;
}

/// A number in each line that has it, by the step.
ChartLine chart_line(const std::vector<Json>& metrics, const std::string& name, const std::string& place) {
  const Json::json_pointer pointer(place);
  ChartLine line{.name = name, .points = {}};
  for (const Json& one : metrics) {
    if (one.contains(pointer)) line.points.emplace_back(one.at("step").get<double>(), one.at(pointer).get<double>());
  }
  if (line.points.size() > kMostPoints) {
    std::vector<std::pair<double, double>> fewer;
    for (size_t i = 0; i < kMostPoints; ++i) fewer.push_back(line.points[i * line.points.size() / kMostPoints]);
    fewer.push_back(line.points.back());
    line.points = std::move(fewer);
  }
  return line;
}

Chart losses(const std::vector<Json>& metrics) {
  return {.title = "Loss",
          .x = "step",
          .y = "nats",
          .lines = {chart_line(metrics, "masked, training", "/train/masked_loss"),
                    chart_line(metrics, "masked, validation", "/valid/masked_loss"),
                    chart_line(metrics, "pairs, validation", "/valid/pair_loss")},
          .from_zero = false};
}

Chart finetuning_losses(const std::vector<Json>& metrics) {
  return {.title = "Loss",
          .x = "step",
          .y = "",
          .lines = {chart_line(metrics, "training", "/train/loss"), chart_line(metrics, "validation", "/valid/loss")},
          .from_zero = true};
}

/// @param metric  that decides which checkpoint is the best
Chart finetuning_scores(const std::vector<Json>& metrics, const std::string& metric) {
  std::vector<ChartLine> lines{chart_line(metrics, "accuracy, training", "/train/accuracy")};
  if (metric != "loss") lines.push_back(chart_line(metrics, metric + ", validation", "/valid/" + metric));
  return {.title = "Scores", .x = "step", .y = "", .lines = std::move(lines), .from_zero = true};
}

Chart accuracies(const std::vector<Json>& metrics) {
  return {.title = "What is right",
          .x = "step",
          .y = "share",
          .lines = {chart_line(metrics, "masked, training", "/train/masked_accuracy"),
                    chart_line(metrics, "masked, validation", "/valid/masked_accuracy"),
                    chart_line(metrics, "pairs, validation", "/valid/pair_accuracy"),
                    chart_line(metrics, "pairs, always one answer", "/valid/pair_base_rate")},
          .from_zero = true};
}

Chart gradients(const std::vector<Json>& metrics) {
  return {.title = "Norm of the gradient, by part",
          .x = "step",
          .y = "norm, before clipping",
          .lines = {chart_line(metrics, "token table", "/gradient_norms/token table"),
                    chart_line(metrics, "position table", "/gradient_norms/position table"),
                    chart_line(metrics, "segment table", "/gradient_norms/segment table"),
                    chart_line(metrics, "encoder", "/gradient_norms/encoder"),
                    chart_line(metrics, "heads", "/gradient_norms/heads")},
          .from_zero = true};
}

Chart rates(const std::vector<Json>& metrics) {
  return {.title = "Learning rate",
          .x = "step",
          .y = "",
          .lines = {chart_line(metrics, "rate", "/learning_rate")},
          .from_zero = true};
}

Chart exposure(const Json& state) {
  const auto line = [&](const std::string& name, const char* key) {
    ChartLine result{.name = name, .points = {}};
    const auto counts = state.at(key).get<std::vector<double>>();
    for (size_t i = 0; i < counts.size(); ++i) result.points.emplace_back(static_cast<double>(i), counts[i]);
    return result;
  };
  return {.title = "How often each position was seen",
          .x = "position",
          .y = "tokens",
          .lines = {line("seen", "seen"), line("predicted", "predicted")},
          .from_zero = true};
}

std::string table_of(const Json& object) {
  std::string rows;
  for (const auto& [key, value] : object.items()) {
    std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (value.is_null()) text = "not given";
    rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", to_html(key), to_html(text));
  }
  return "<table class=\"facts\">" + rows + "</table>\n";
}

std::string tokens_text(uint64_t tokens) {
  return tokens < 1'000'000 ? fmt::format("{} tokens", tokens)
                            : fmt::format("{:.2f} M tokens", static_cast<double>(tokens) / 1e6);
}

/// "step 500 of 8192, 2.00 M tokens in 12 min; the lowest validation loss is 6.5, at step 500"
std::string summary_sentence(const Json& run, const RunState& state) {
  std::string lead =
      fmt::format("step {} of {}, {} in {}", state.progress.step, run.at("options").at("steps").get<int64_t>(),
                  tokens_text(state.progress.tokens), terminal::duration_text(state.seconds));
  if (state.best_step > 0) {
    const std::string score =
        is_finetuning(run) ? fmt::format("the best {} of validation", run.at("options").at("metric").get<std::string>())
                           : "the lowest validation loss";
    lead += fmt::format("; {} is {:.4f}, at step {}", score, state.best_score, state.best_step);
  }
  return lead;
}

}  // namespace

void write_run_page(const fs::path& folder) {
  const auto metrics = metrics_in(folder);
  const Json run = read_json(folder / "run.json");
  const std::string state = read_file(folder / "last" / "state.json", kLongestState);
  const bool finetuning = is_finetuning(run);
  const std::string curves = to_svg(finetuning ? finetuning_losses(metrics) : losses(metrics));
  write_whole(folder / "curves.svg", curves);
  const std::string name = to_html(fs::absolute(folder).lexically_normal().filename().string());
  std::string page = page_head(name);
  page +=
      fmt::format("<h1>{}</h1><p class=\"lead\">{}</p>\n", name, summary_sentence(run, run_state(state, "state.json")));
  if (finetuning && fs::exists(folder / "metrics.json")) {
    page += results_html(parse_json(read_file(folder / "metrics.json", kMostResults), "metrics.json"));
  }
  page += "<div class=\"charts\">\n" + curves;
  page += to_svg(finetuning ? finetuning_scores(metrics, run.at("options").at("metric").get<std::string>())
                            : accuracies(metrics));
  page += to_svg(gradients(metrics)) + to_svg(rates(metrics));
  if (const Json json = parse_json(state, "state.json"); json.contains("seen")) page += to_svg(exposure(json));
  page += "</div>\n";
  for (const auto& [section, title] : {std::pair("options", "Options"), std::pair("model", "Model"),
                                       std::pair("data", "Data"), std::pair("about", "About")}) {
    if (run.contains(section)) page += fmt::format("<h2>{}</h2>\n{}", title, table_of(run.at(section)));
  }
  write_whole(folder / "index.html", page + "</body></html>\n");
}

}  // namespace summand::train
