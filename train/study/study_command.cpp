#include "train/study/study_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"
#include "terminal/option_validators.hpp"
#include "train/run/progress_reporter.hpp"
#include "train/study/study.hpp"
#include "train/study/study_run.hpp"
#include "train/tasks/dump.hpp"

namespace summand::train {

namespace {

int print_dump(const StudyCommand& command) {
  const auto task = make_task(command.dump, command.tiny ? TaskSizes::tiny() : TaskSizes(), command.seed);
  std::puts(dump(*task, command.sequences).c_str());
  return 0;
}

PlannedRun only_run(const StudyPlan& plan, const StudyCommand& command) {
  const std::vector<PlannedRun> runs = runs_of(plan);
  const auto run = std::ranges::find_if(runs, [&](const PlannedRun& one) { return one.name() == command.only; });
  if (run == runs.end()) {
    throw UsageError("--only", fmt::format("expected a run of the plan, such as {}, got '{}'", runs.front().name(),
                                           printable(command.only)));
  }
  return *run;
}

int train_only(const StudyPlan& plan, const PlannedRun& run, const StudyCommand& command) {
  notice_interruptions();
  ProgressReporter reporter;
  const RunReport report = run_one(plan, run, command.out, 1, [&](const RunNews& news) { reporter.tell(news); });
  reporter.clear();
  return tell_ending(report, folder_of(command.out, run), "lower excess");
}

}  // namespace

CLI::App* add_study_command(CLI::App& program, StudyCommand& command) {
  auto* verb = program.add_subcommand(
      "study", "Train models that differ in one thing on tasks whose best possible loss is known");
  verb->add_option("plan", command.plan, "The plan, a .json file")->option_text("PLAN");
  verb->add_option("-o,--output", command.out, "Folder of the study")->option_text("DIR");
  verb->add_option("--only", command.only, "Train this run alone")->option_text("TASK/ARM/SEED");
  verb->add_flag("--list-runs", command.list_runs,
                 "Print a command for each run that is not finished, for other schedulers");
  verb->add_flag("--resume", command.resume, "Continue the study in this folder; begin it if there is none");
  verb->add_flag("--quick", command.quick,
                 "Some minutes: only primary comparisons and damaged arms, three seeds, half the steps");
  verb->add_flag("--report-only", command.report_only, "Train nothing; report on what is finished");
  verb->add_option("--jobs", command.jobs, "Runs at a time, each on one thread")
      ->check(terminal::whole_number(1))
      ->option_text("N=2");
  std::vector<std::string> tasks(task_names().begin(), task_names().end());
  verb->add_option("--dump", command.dump, "Print tables, sequences and posteriors of a task")
      ->check(terminal::one_of(tasks))
      ->option_text(fmt::format("{}", fmt::join(tasks, "|")));
  verb->add_flag("--tiny", command.tiny, "With --dump: so small that every posterior can be enumerated");
  verb->add_option("--seed", command.seed, "With --dump: of tables and sequences")
      ->check(terminal::whole_number(0))
      ->option_text("N=1");
  verb->add_option("--sequences", command.sequences, "With --dump: how many")
      ->check(terminal::whole_number(0))
      ->option_text("N=4");
  verb->footer(
      "DIR gets runs/TASK/ARM/SEED, a folder each, rows.csv, verdicts.json and the report, index.html. What was "
      "finished "
      "stays when a study is stopped; --resume goes on.\nExample:\n  summand study studies/standard/plan.json -o "
      "my-study");
  return verb;
}

int run_study_command(StudyCommand& command) {
  if (!command.dump.empty()) return print_dump(command);
  if (command.plan.empty())
    throw UsageError("command line", "expected a plan or --dump, got neither; see summand study --help");
  const StudyPlan plan = read_plan(command.plan, command.quick);
  if (command.out.empty())
    throw UsageError("command line", "expected -o with a plan, got none; see summand study --help");
  if (command.report_only + command.list_runs + !command.only.empty() > 1)
    throw UsageError("command line", "expected one of --only, --list-runs and --report-only, got more");
  if (command.report_only && !std::filesystem::exists(command.out))
    throw UsageError("-o", fmt::format("expected the folder of a study, got {}", path_text(command.out)));
  if (!command.report_only) check_arms(plan);
  std::optional<PlannedRun> only;
  if (!command.only.empty()) only = only_run(plan, command);
  const Study study(plan, command.out);
  if (command.report_only) return study.report();
  if (only) return train_only(plan, *only, command);
  if (command.list_runs) {
    for (const std::string& line : study.commands()) std::puts(line.c_str());
    return 0;
  }
  if (!command.resume) study.require_new();
  const int status = study.run(command.jobs);
  if (study.finished() > 0) (void)study.report();
  return status;
}

}  // namespace summand::train
