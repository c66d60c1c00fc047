#include "api/runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/duration.hpp"
#include "cli/print_json.hpp"
#include "cli/table.hpp"
#include "cli/verbs.hpp"

namespace summand::cli {

namespace {

struct RunsRequest {
  std::vector<std::string> folders;
  bool json = false;
};

std::string loss_text(const std::optional<double>& loss) {
  return loss ? fixed(*loss, 4) : "";
}

std::string left_text(const api::RunSummary& run) {
  if (run.step == run.steps) return "done";
  if (run.stopped) return "stopped";
  const auto left = run.seconds_left();
  return left ? duration_text(*left) : "";
}

void print(const std::vector<api::RunSummary>& runs) {
  Table table({{"run", Align::left, ""},
               {"arm", Align::left, ""},
               {"step", Align::right, ""},
               {"M tokens", Align::right, ""},
               {"training", Align::right, "masked loss, nats"},
               {"validation", Align::right, "masked loss, nats"},
               {"best", Align::right, "with pairs, nats"},
               {"tokens/s", Align::right, ""},
               {"left", Align::right, ""}});
  for (const auto& run : runs) {
    table.add({shortened(run.name, 28), shortened(run.arm, 28), fmt::format("{}/{}", run.step, run.steps),
               fixed(static_cast<double>(run.tokens) / 1e6, 2), loss_text(run.train_loss), loss_text(run.valid_loss),
               loss_text(run.best_loss), run.seconds > 0 ? fixed(static_cast<double>(run.tokens) / run.seconds, 0) : "",
               left_text(run)});
  }
  table.print(stdout);
  if (runs.size() < 2) return;
  if (const auto keys = api::differences_of_validation(runs); !keys.empty()) {
    fmt::print("\nvalidation losses are not to be compared: their masks are others, for {} {}\n", fmt::join(keys, ", "),
               keys.size() == 1 ? "differs" : "differ");
  }
  const auto differing = api::differences(runs);
  if (differing.empty()) {
    fmt::print("\nno setting differs\n");
    return;
  }
  std::vector<Table::Column> columns{{"what differs", Align::left, ""}};
  for (const auto& run : runs) columns.push_back({shortened(run.name, 28), Align::left, ""});
  Table settings(std::move(columns));
  for (const auto& [key, values] : differing) {
    std::vector<std::string> cells{key};
    for (const auto& value : values) cells.push_back(shortened(value, 28));
    settings.add(std::move(cells));
  }
  fmt::print("\n");
  settings.print(stdout);
}

nlohmann::ordered_json to_json(const api::RunSummary& run) {
  nlohmann::ordered_json json{
      {"run", run.name},    {"folder", run.folder.string()}, {"arm", run.arm},        {"step", run.step},
      {"steps", run.steps}, {"tokens", run.tokens},          {"seconds", run.seconds}};
  const auto put = [&](const char* key, const std::optional<double>& value) {
    if (value) {
      json[key] = *value;
    } else {
      json[key] = nullptr;
    }
  };
  put("train_loss", run.train_loss);
  put("valid_loss", run.valid_loss);
  put("best_loss", run.best_loss);
  put("seconds_left", run.seconds_left());
  json["stopped"] = run.stopped;
  json["settings"] = run.settings;
  return json;
}

void run(const RunsRequest& request) {
  std::vector<std::filesystem::path> folders(request.folders.begin(), request.folders.end());
  if (folders.empty()) folders.emplace_back("runs");
  const auto runs = api::runs_in(folders);
  if (!request.json) {
    print(runs);
    return;
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& one : runs) list.push_back(to_json(one));
  print_json({{"runs", list}, {"validation_differs_in", api::differences_of_validation(runs)}});
}

}  // namespace

void add_runs(CLI::App& program) {
  auto* verb = program.add_subcommand("runs", "Runs of pretrain side by side: how far they are, and how they differ");
  const auto request = std::make_shared<RunsRequest>();
  verb->add_option("folders", request->folders, "Runs' folders, or folders of runs; not given: runs")
      ->option_text("DIR...");
  verb->add_flag("--json", request->json, "Print JSON");
  verb->footer("Example:\n  summand runs runs/first runs/second");
  verb->callback([request] { run(*request); });
}

}  // namespace summand::cli
