#include "api/runs/training_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/base_names.hpp"
#include "cli/print_json.hpp"
#include "cli/verbs.hpp"
#include "terminal/duration.hpp"
#include "terminal/number_text.hpp"
#include "terminal/print_to_stderr.hpp"
#include "terminal/table.hpp"

namespace summand::cli {

namespace {

using api::Arm;
using api::RunGroup;
using api::RunSummary;

struct RunsRequest {
  std::vector<std::string> folders;
  bool json = false;
};

/// Of the terminal, or as COLUMNS says; of a file or a pipe wide enough for every column.
size_t output_columns() {
  constexpr size_t kLeast = 40;
  if (const char* said = std::getenv("COLUMNS"); said != nullptr && std::atol(said) > 0) {
    return std::max(kLeast, static_cast<size_t>(std::atol(said)));
  }
  struct winsize size {};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::max<size_t>(kLeast, size.ws_col) : 120;
}

/// A number of each run: its name in JSON, and above which column it stands.
struct NamedNumber {
  std::string json_name;
  std::string column;
  api::RunNumber of;
};

const std::vector<NamedNumber>& losses() {
  static const std::vector<NamedNumber> kLosses{
      {"train_loss", "train", [](const RunSummary& run) { return run.train_loss; }},
      {"valid_loss", "valid", [](const RunSummary& run) { return run.valid_loss; }},
      {"best_loss", "best", [](const RunSummary& run) { return run.best_loss; }}};
  return kLosses;
}

/// Of fine-tuning.
const std::vector<NamedNumber>& scores() {
  using Scored = std::optional<double> api::FinetuningSummary::*;
  const auto of = [](Scored score) {
    return [score](const RunSummary& run) { return run.finetuning ? *run.finetuning.*score : std::nullopt; };
  };
  static const std::vector<NamedNumber> kScores{{"best_score", "best", of(&api::FinetuningSummary::best_score)},
                                                {"test_score", "test", of(&api::FinetuningSummary::test_score)}};
  return kScores;
}

bool is_finetuning(const RunGroup& group) {
  return group.runs.front().finetuning.has_value();
}

bool is_wide(size_t columns) {
  return columns >= 100;
}

std::string number_text(const std::optional<double>& number) {
  return number ? terminal::fixed(*number, 4) : "";
}

std::string left_text(const RunSummary& run) {
  if (run.failure) return "failed";
  if (run.step == run.steps) return "done";
  if (run.stopped) return "stopped";
  const auto left = run.seconds_left();
  return left ? terminal::duration_text(*left) : "";
}

/// "2.8k"
std::string speed_text(const RunSummary& run) {
  if (run.seconds <= 0) return "";
  const double speed = static_cast<double>(run.tokens) / run.seconds;
  return speed < 10'000 ? terminal::fixed(speed, 0) : terminal::fixed(speed / 1000, 1) + "k";
}

/// Every run, by arms, with mean and standard deviation where an arm has several seeds.
class RunTable {
 public:
  RunTable(const RunGroup& group, const std::vector<Arm>& arms, size_t columns)
      : runs_(group.runs), arms_(arms), width_(columns), with_tokens_(is_wide(columns) && !is_finetuning(group)) {
    for (const auto* name : {"run", "seed", "step"}) add_column(name, "");
    if (with_tokens_) add_column("M tokens", "");
    if (!is_finetuning(group)) {
      for (const auto& number : losses()) add_number(number, "");
    } else {
      if (is_wide(columns)) {
        for (size_t i = 0; i < 2; ++i) add_number(losses()[i], "loss");  // a score chose the best checkpoint, no loss
      }
      averaged_from_ = numbers_.size();
      for (const auto& number : scores()) add_number(number, group.runs.front().finetuning->metric);
    }
    for (const auto* name : {"tokens/s", "left"}) add_column(name, "");
    for (const Arm& arm : arms) blocks_.push_back(rows_of(arm));
    for (const auto& block : blocks_) {
      for (const auto& row : block) widen(row);
    }
    size_t others = 0;
    for (size_t i = 1; i < columns_.size(); ++i) {
      others += columns_[i].least_width + (columns_[i].group == columns_[i - 1].group ? 2 : 5);  // a bar
    }
    const size_t room = columns > others ? columns - others : 0;
    columns_[0].least_width = std::clamp<size_t>(room, kLeastName, std::max(kLeastName, columns_[0].least_width));
  }

  void print(std::FILE* to) const {
    terminal::Table table(columns_);
    table.print_portion(to);
    for (size_t arm = 0; arm < arms_.size(); ++arm) {
      fmt::print(to, "{}\n", terminal::shortened(fmt::format("{} {}", arm + 1, arms_[arm].name), width_));
      for (auto row : blocks_[arm]) {
        row[0] = terminal::shortened(row[0], columns_[0].least_width);
        table.add(std::move(row));
      }
      table.print_portion(to);
    }
  }

 private:
  using Row = std::vector<std::string>;
  static constexpr size_t kLeastName = 12;

  /// Columns with the same heading are two at most, and wide enough for it.
  void add_column(const std::string& name, const std::string& heading) {
    const auto align = columns_.empty() ? terminal::Align::left : terminal::Align::right;
    columns_.push_back({name, align, heading, heading.size() / 2});
  }

  void add_number(const NamedNumber& number, const std::string& heading) {
    add_column(number.column, heading);
    numbers_.push_back(number);
  }

  void widen(const Row& row) {
    for (size_t i = 0; i < row.size(); ++i) {
      size_t& width = columns_[i].least_width;
      width = std::max({width, terminal::display_width(row[i]), terminal::display_width(columns_[i].name)});
    }
  }

  [[nodiscard]] std::vector<Row> rows_of(const Arm& arm) const {
    std::vector<Row> rows;
    for (const size_t i : arm.runs) {
      const RunSummary& run = runs_[i];
      const bool done = run.step == run.steps;
      Row row{"  " + run.name, run.seed, fmt::format("{}", run.step) + (done ? "" : fmt::format("/{}", run.steps))};
      if (with_tokens_) row.push_back(terminal::fixed(static_cast<double>(run.tokens) / 1e6, 2));
      for (const auto& number : numbers_) row.push_back(number_text(number.of(run)));
      row.insert(row.end(), {speed_text(run), left_text(run)});
      rows.push_back(std::move(row));
    }
    if (arm.runs.size() < 2) return rows;
    const bool same_step =
        std::ranges::all_of(arm.runs, [&](size_t i) { return runs_[i].step == runs_[arm.runs.front()].step; });
    Row mean{"  mean", "", same_step ? "" : "differ"};
    Row deviation{"  deviation", "", ""};
    for (auto* row : {&mean, &deviation}) row->resize((with_tokens_ ? 4 : 3) + averaged_from_);
    for (size_t i = averaged_from_; i < numbers_.size(); ++i) {
      const auto spread = api::mean_and_deviation(runs_, arm, numbers_[i].of);
      mean.push_back(spread.runs > 1 ? terminal::fixed(spread.mean, 4) : "");
      deviation.push_back(spread.deviation ? terminal::fixed(*spread.deviation, 4) : "");
    }
    for (auto* row : {&mean, &deviation}) {
      row->resize(columns_.size());
      rows.push_back(std::move(*row));
    }
    return rows;
  }

  const std::vector<RunSummary>& runs_;
  const std::vector<Arm>& arms_;
  size_t width_;
  bool with_tokens_;
  std::vector<NamedNumber> numbers_;
  size_t averaged_from_ = 0;  // the first of numbers_ that has a mean
  std::vector<terminal::Table::Column> columns_;
  std::vector<std::vector<Row>> blocks_;  // by arm
};

/// "1, 3 to 5"
std::string numbers_text(const std::vector<size_t>& arms) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < arms.size();) {
    size_t end = i + 1;
    while (end < arms.size() && arms[end] == arms[end - 1] + 1) ++end;
    const size_t first = arms[i] + 1;
    const size_t last = arms[end - 1] + 1;
    parts.push_back(end - i < 3 && end - i > 1 ? fmt::format("{}, {}", first, last)
                    : end - i == 1             ? fmt::format("{}", first)
                                               : fmt::format("{} to {}", first, last));
    i = end;
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// As `inspect` names it: "summand.position_kind", "options.steps".
std::string shown_key(const std::string& key) {
  constexpr std::string_view kOfModel = "model.config.";
  return key.starts_with(kOfModel) ? key.substr(kOfModel.size()) : key;
}

/// Of each setting in which arms differ its values, and the arms that have them.
void print_differences(const std::vector<RunSummary>& runs, const std::vector<Arm>& arms, size_t columns) {
  std::vector<RunSummary> firsts;
  for (const Arm& arm : arms) firsts.push_back(runs[arm.runs.front()]);
  auto differing = api::differences(firsts);
  std::erase_if(differing, [](const auto& setting) { return setting.first == "options.seed"; });
  if (differing.empty()) {
    if (runs.size() > 1) fmt::print("\nno setting differs but the seed\n");
    return;
  }
  terminal::Table table({{"what differs", terminal::Align::left, ""},
                         {"value", terminal::Align::left, ""},
                         {"arms", terminal::Align::left, ""}});
  for (const auto& [key, values] : differing) {
    std::vector<std::pair<std::string, std::vector<size_t>>> arms_with;
    for (size_t arm = 0; arm < values.size(); ++arm) {
      if (values[arm].empty()) continue;  // its kind has no such field
      auto found = std::ranges::find(arms_with, values[arm], [](const auto& one) { return one.first; });
      if (found == arms_with.end()) found = arms_with.insert(arms_with.end(), {values[arm], {}});
      found->second.push_back(arm);
    }
    const size_t room = columns > key.size() ? columns - key.size() : 0;
    for (const auto& [value, which] : arms_with) {
      const std::string shown = terminal::shortened(value, std::clamp<size_t>(room / 2, 12, 40));
      table.add({value == arms_with.front().first ? shown_key(key) : "", shown, numbers_text(which)});
    }
  }
  fmt::print("\n");
  table.print(stdout);
}

void print_footnotes(const RunGroup& group, size_t columns) {
  const bool finetuning = is_finetuning(group);
  if (finetuning) {
    if (is_wide(columns)) fmt::print("train, valid: loss of the last steps and the last validation\n");
    fmt::print("best, test: {} of checkpoint best on validation and test rows\n",
               group.runs.front().finetuning->metric);
  } else {
    fmt::print(
        "train, valid: loss of masked tokens, nats\n"
        "best: lowest loss of all validations, pairs included, nats\n");
  }
  for (const auto& run : group.runs) {
    if (run.failure) fmt::print("{} failed: {}\n", terminal::shortened(run.name, 28), api::printable(*run.failure));
  }
  const auto keys = api::differences_of_validation(group.runs);
  if (keys.empty()) return;
  if (finetuning) {
    fmt::print("validation rows differ with {}: --valid FILE makes runs comparable\n", fmt::join(keys, ", "));
  } else {
    fmt::print("validation losses are not to be compared: their masks are others, for {} {}\n", fmt::join(keys, ", "),
               keys.size() == 1 ? "differs" : "differ");
  }
}

void print(const std::vector<RunSummary>& runs) {
  const size_t columns = output_columns();
  const auto groups = api::group_by_kind(runs);
  for (const RunGroup& group : groups) {
    if (&group != &groups.front()) fmt::print("\n\n");
    if (groups.size() > 1 || is_finetuning(group)) fmt::print("{}\n\n", terminal::shortened(group.name, columns));
    const auto arms = api::group_by_arm(group.runs);
    RunTable(group, arms, columns).print(stdout);
    print_footnotes(group, columns);
    print_differences(group.runs, arms, columns);
  }
}

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json to_json(const RunSummary& run) {
  nlohmann::ordered_json json{{"run", run.name},      {"folder", run.folder.string()},
                              {"arm", run.arm},       {"seed", run.seed},
                              {"step", run.step},     {"steps", run.steps},
                              {"tokens", run.tokens}, {"seconds", run.seconds}};
  for (const auto& number : losses()) json[number.json_name] = number_or_null(number.of(run));
  json["task"] = run.finetuning ? nlohmann::ordered_json(run.finetuning->task) : nlohmann::ordered_json(nullptr);
  json["metric"] = run.finetuning ? nlohmann::ordered_json(run.finetuning->metric) : nlohmann::ordered_json(nullptr);
  for (const auto& number : scores()) json[number.json_name] = number_or_null(number.of(run));
  json["seconds_left"] = number_or_null(run.seconds_left());
  json["stopped"] = run.stopped;
  json["failure"] = run.failure ? nlohmann::ordered_json(*run.failure) : nlohmann::ordered_json(nullptr);
  json["settings"] = run.settings;
  return json;
}

nlohmann::ordered_json to_json(const RunGroup& group, const Arm& arm) {
  nlohmann::ordered_json json{{"arm", arm.name}, {"group", group.name}, {"runs", nlohmann::ordered_json::array()}};
  for (const size_t i : arm.runs) json["runs"].push_back(group.runs[i].name);
  for (const auto* numbers : {&losses(), &scores()}) {
    if (numbers == &scores() && !is_finetuning(group)) continue;
    for (const auto& number : *numbers) {
      const auto spread = api::mean_and_deviation(group.runs, arm, number.of);
      json[number.json_name] = {
          {"runs", spread.runs},
          {"mean", spread.runs > 0 ? nlohmann::ordered_json(spread.mean) : nlohmann::ordered_json(nullptr)},
          {"deviation", number_or_null(spread.deviation)}};
    }
  }
  return json;
}

void print_as_json(const api::RunList& list) {
  nlohmann::ordered_json json{{"runs", nlohmann::ordered_json::array()},
                              {"arms", nlohmann::ordered_json::array()},
                              {"groups", nlohmann::ordered_json::array()},
                              {"damaged", nlohmann::ordered_json::array()},
                              {"validation_differs_in", nlohmann::ordered_json::array()}};
  for (const auto& run : list.runs) json["runs"].push_back(to_json(run));
  for (const auto& group : api::group_by_kind(list.runs)) {
    const auto keys = api::differences_of_validation(group.runs);
    if (!is_finetuning(group)) json["validation_differs_in"] = keys;
    json["groups"].push_back({{"group", group.name}, {"validation_differs_in", keys}});
    for (const auto& arm : api::group_by_arm(group.runs)) json["arms"].push_back(to_json(group, arm));
  }
  for (const auto& run : list.damaged) {
    json["damaged"].push_back({{"folder", run.folder.string()}, {"error", run.where + ": " + run.message}});
  }
  print_json(json);
}

void run(const RunsRequest& request) {
  std::vector<std::filesystem::path> folders(request.folders.begin(), request.folders.end());
  if (folders.empty()) folders.emplace_back("runs");
  const auto list = api::read_runs(folders);
  if (request.json) {
    print_as_json(list);
  } else if (!list.runs.empty()) {
    print(list.runs);
  }
  std::fflush(stdout);
  for (size_t i = 0; i < list.damaged.size(); ++i) {
    const auto& [folder, where, message] = list.damaged[i];
    if (i + 1 == list.damaged.size()) throw api::IoError(where, message);
    terminal::print_to_stderr("[{}] {}", where, message);
  }
}

}  // namespace

void add_runs(CLI::App& program) {
  auto* verb = program.add_subcommand(
      "runs", "Show training runs by arms and seeds: progress, losses, scores, and how they differ");
  const auto request = std::make_shared<RunsRequest>();
  verb->add_option("folders", request->folders, "Folders of runs, or folders that hold such folders; default: runs")
      ->option_text("DIR...");
  verb->add_flag("--json", request->json, "Print JSON on standard output");
  verb->footer("Example:\n  summand runs runs/first runs/second");
  verb->callback([request] { run(*request); });
}

}  // namespace summand::cli
