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
  std::string arm;                        ///< composition and positions: "sum, learned"
  int64_t step = 0;                       ///< of the last checkpoint, 0 without one
  int64_t steps = 0;                      ///< in all
  uint64_t tokens = 0;                    ///< that were read
  double seconds = 0;                     ///< of training
  std::optional<double> train_loss = {};  ///< masked, nats, of the last interval
  std::optional<double> valid_loss = {};  ///< masked, nats, of the last validation
  std::optional<double> best_loss = {};   ///< of masked tokens and pairs, nats, of the checkpoint `best`
  int64_t best_step = 0;                  ///< that it is of
  bool stopped = false;                   ///< early: by its patience
  /// "options.steps" → "8192", of everything in run.json; of the model's configuration also what it does not say.
  std::map<std::string, std::string> settings = {};

  /// By the speed so far; nothing before the first checkpoint.
  [[nodiscard]] std::optional<double> seconds_left() const;
};

/// The runs in these folders: each a run's, or one whose folders are.
/// @throws IoError or ConfigError if a folder is not there, holds no run, or a file of a run is damaged
[[nodiscard]] std::vector<RunSummary> runs_in(const std::vector<std::filesystem::path>& folders);

/// The settings in which runs differ, each with its values in the runs' order; empty where a run has none. What was
/// only said of a run, its command and paths, is none.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>> differences(
    const std::vector<RunSummary>& runs);

/// Of the settings that decide which masks validation is of, those in which runs differ: with any, their validation
/// losses are not to be compared.
[[nodiscard]] std::vector<std::string> differences_of_validation(const std::vector<RunSummary>& runs);

}  // namespace summand::api
