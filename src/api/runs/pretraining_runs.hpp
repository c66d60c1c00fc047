#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace summand::api {

/// A run of `summand pretrain`, as its folder tells it.
struct RunSummary {
  std::string name;  ///< the folder's
  std::filesystem::path folder;
  std::string arm;  ///< what is special about its model: "sum, learned, rotary, position again"
  std::string seed = {};
  int64_t step = 0;                         ///< of the last checkpoint, 0 without one
  int64_t steps = 0;                        ///< in all
  uint64_t tokens = 0;                      ///< that were read
  double seconds = 0;                       ///< of training
  std::optional<double> train_loss = {};    ///< masked, nats, of the last interval
  std::optional<double> valid_loss = {};    ///< masked, nats, of the last validation
  std::optional<double> best_loss = {};     ///< of masked tokens and pairs, nats, of the checkpoint `best`
  int64_t best_step = 0;                    ///< that it is of
  bool stopped = false;                     ///< early: by its patience
  std::optional<std::string> failure = {};  ///< what ended it, such as a loss that is no number
  /// "options.steps" → "8192", of everything in run.json; of the model's configuration also what it does not say.
  std::map<std::string, std::string> settings = {};

  /// By the speed so far; nothing before the first checkpoint.
  [[nodiscard]] std::optional<double> seconds_left() const;
};

/// A run's folder that cannot be read, and why.
struct DamagedRun {
  std::filesystem::path folder;
  std::string where;
  std::string message;
};

struct RunList {
  std::vector<RunSummary> runs;
  std::vector<DamagedRun> damaged;
};

/// The runs in these folders: each a run's, or one whose folders are. A folder that is named twice counts once.
/// @throws IoError if a folder is not there or holds no run
[[nodiscard]] RunList read_runs(const std::vector<std::filesystem::path>& folders);

/// Runs that differ in nothing but their seed.
struct Arm {
  std::string name;          ///< its runs' `arm`
  std::vector<size_t> runs;  ///< their places in the list, by seed
};
/// Each run in one arm; arms in the order of their first runs.
[[nodiscard]] std::vector<Arm> group_by_arm(const std::vector<RunSummary>& runs);

/// A number over the runs of an arm that have it.
struct Spread {
  size_t runs = 0;
  double mean = 0;
  std::optional<double> deviation = {};  ///< standard, with n - 1; nothing of a single run
};
[[nodiscard]] Spread mean_and_deviation(const std::vector<RunSummary>& runs, const Arm& arm,
                                        std::optional<double> RunSummary::*number);

/// The settings in which runs differ, each with its values in the runs' order; empty where a run has none. What was
/// only said of a run, its command and paths, is none.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>> differences(
    const std::vector<RunSummary>& runs);

/// Of the settings that decide which masks validation is of, those in which runs differ: with any, their validation
/// losses are not to be compared.
[[nodiscard]] std::vector<std::string> differences_of_validation(const std::vector<RunSummary>& runs);

}  // namespace summand::api
