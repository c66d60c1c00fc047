#include "train/study/study.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interruption.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "base/platform.hpp"
#include "terminal/duration.hpp"
#include "terminal/print_to_stderr.hpp"
#include "terminal/status_line.hpp"
#include "train/run/command_options.hpp"
#include "train/run/whole_file.hpp"
#include "train/study/study_report.hpp"
#include "train/study/study_run.hpp"

namespace summand::train {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenLooks = std::chrono::milliseconds(50);
constexpr const char* kPlanFile = "plan.json";
constexpr const char* kRowsFile = "rows.csv";
constexpr size_t kLongestRows = size_t{1} << 28;

/// Starts this program again with other arguments, without its output.
pid_t spawn(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // as exec() wants them
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = posix_spawn(&process, program_path().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw IoError(program_path().string(), fmt::format("cannot be run: {}", std::generic_category().message(error)));
  return process;
}

/// Programs that are running; asks them to stop, and waits for them, when it goes.
class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes() {
    for (const auto& [process, name] : running_) kill(process, SIGTERM);
    for (const auto& [process, name] : running_) waitpid(process, nullptr, 0);
  }

  [[nodiscard]] size_t size() const { return running_.size(); }
  void start(const std::vector<std::string>& words, const std::string& name) { running_.emplace(spawn(words), name); }
  /// Whether one has ended: its name and whether it succeeded.
  [[nodiscard]] std::optional<std::pair<std::string, bool>> ended() {
    for (auto one = running_.begin(); one != running_.end(); ++one) {
      int status = 0;
      if (waitpid(one->first, &status, WNOHANG) != one->first) continue;
      std::pair<std::string, bool> result{one->second, WIFEXITED(status) && WEXITSTATUS(status) == 0};
      running_.erase(one);
      return result;
    }
    return std::nullopt;
  }

 private:
  std::map<pid_t, std::string> running_;
};

}  // namespace

Study::Study(const StudyPlan& plan, std::filesystem::path folder) : plan_(plan), folder_(std::move(folder)) {
  const auto kept = folder_ / kPlanFile;
  if (!std::filesystem::exists(kept)) {
    std::filesystem::create_directories(folder_);
    write_whole(kept, plan_.text);
  } else if (const StudyPlan other = read_plan(kept); other.hash != plan_.hash) {
    throw UsageError(
        "-o", fmt::format("expected a new folder or one of the plan {} ({}), got {}, which is of the plan {} ({})",
                          plan_.name, plan_.hash, path_text(folder_), other.name, other.hash));
  }
}

void Study::require_new() const {
  if (std::filesystem::exists(folder_ / kRunsFolder)) {
    throw UsageError("-o", fmt::format("expected a new folder, got {}, where a study began: --resume goes on with it",
                                       path_text(folder_)));
  }
}

std::vector<PlannedRun> Study::left() const {
  std::vector<PlannedRun> runs = runs_of(plan_);
  std::erase_if(runs,
                [&](const PlannedRun& run) { return std::filesystem::exists(folder_of(folder_, run) / kRowFile); });
  return runs;
}

size_t Study::finished() const {
  return runs_of(plan_).size() - left().size();
}

std::vector<StudyRow> Study::rows() const {
  std::vector<StudyRow> rows;
  if (!std::filesystem::exists(folder_ / kRunsFolder)) {
    const auto csv = folder_ / kRowsFile;
    return rows_from_csv(read_file(csv, kLongestRows), csv.string());
  }
  for (const PlannedRun& run : runs_of(plan_)) {
    const auto file = folder_of(folder_, run) / kRowFile;
    if (std::filesystem::exists(file)) rows.push_back(read_row(file));
  }
  return rows;
}

int Study::report() const {
  const std::vector<StudyRow> all = rows();
  if (all.empty())
    throw UsageError("-o", fmt::format("expected a study with finished runs, got {}", path_text(folder_)));
  if (std::filesystem::exists(folder_ / kRunsFolder)) write_whole(folder_ / kRowsFile, to_csv(all));
  std::fputs(write_study_report(plan_, all, folder_).c_str(), stdout);
  std::printf("%s\n", path_text(folder_ / "index.html").c_str());
  return 0;
}

std::vector<std::string> Study::words_of(const PlannedRun& run) const {
  return {"summand", "study", (folder_ / kPlanFile).string(), "--only", run.name(), "-o", folder_.string()};
}

std::vector<std::string> Study::commands() const {
  std::vector<std::string> lines;
  for (const PlannedRun& run : left()) lines.push_back(quoted_command(words_of(run)));
  return lines;
}

int Study::run(int jobs) const {
  const std::vector<PlannedRun> runs = left();
  const size_t all = runs_of(plan_).size();
  notice_interruptions();
  terminal::StatusLine line;
  const auto begin = Clock::now();
  size_t started = 0, done = 0, failed = 0;
  try {
    Processes processes;
    while (done < runs.size()) {
      while (started < runs.size() && processes.size() < static_cast<size_t>(jobs)) {
        processes.start(words_of(runs[started]), runs[started].name());
        ++started;
      }
      check_interruption();
      while (const auto ended = processes.ended()) {
        ++done;
        if (ended->second) continue;
        ++failed;
        line.clear();
        terminal::print_to_stderr("{} failed", ended->first);
      }
      if (done > 0 && line.is_due()) {
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        line.show(fmt::format(
            "{} of {} runs, {} left", all - runs.size() + done, all,
            terminal::duration_text(seconds / static_cast<double>(done) * static_cast<double>(runs.size() - done))));
      }
      std::this_thread::sleep_for(kBetweenLooks);
    }
  } catch (const Interrupted& interrupted) {
    line.clear();
    terminal::print_to_stderr("interrupted; {} of {} runs are finished; the same command goes on", all - left().size(),
                              all);
    return 128 + interrupted.signal;
  }
  line.clear();
  std::printf("%s: %zu of %zu runs are finished\n", path_text(folder_).c_str(), all - left().size(), all);
  return failed == 0 ? 0 : 1;
}

}  // namespace summand::train
