#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace summand::api {

/// What a fine-tuning run learns, and the score that chose its best checkpoint.
struct FinetuningSummary {
  std::string task;                       ///< "classify"
  std::string metric;                     ///< "accuracy"
  std::string train;                      ///< the file of training rows, as the command named it
  bool valid_is_split_off = false;        ///< validation rows are a share of the training rows, drawn by seed
  std::optional<double> best_score = {};  ///< on validation rows
  std::optional<double> test_score = {};  ///< of the checkpoint `best`; none without --test
};

/// A run of `summand pretrain` or `summand finetune`, read from its folder.
struct RunSummary {
  std::string name;  ///< the folder's
  std::filesystem::path folder;
  /// What distinguishes its model: "sum, learned, rotary, position again". Of a fine-tuning run, the model it began
  /// with.
  std::string arm;
  std::string seed = {};
  int64_t step = 0;                         ///< of the last checkpoint, 0 without one
  int64_t steps = 0;                        ///< in all
  uint64_t tokens = 0;                      ///< read so far
  double seconds = 0;                       ///< of training
  std::optional<double> train_loss = {};    ///< of the last interval; of pretrain masked, nats
  std::optional<double> valid_loss = {};    ///< of the last validation; of pretrain masked, nats
  std::optional<double> best_loss = {};     ///< of the checkpoint `best`; of pretrain masked tokens and pairs, nats
  int64_t best_step = 0;                    ///< of that checkpoint
  bool stopped = false;                     ///< early, by --patience
  std::optional<std::string> failure = {};  ///< why it failed, such as a loss that is NaN
  std::optional<FinetuningSummary> finetuning = {};  ///< none of pretrain
  /// "options.steps" → "8192" for everything in run.json, with the defaults of the model's configuration.
  std::map<std::string, std::string> settings = {};

  /// Estimated from the speed so far; nothing before the first checkpoint.
  [[nodiscard]] std::optional<double> seconds_left() const;
};

/// A run's folder that cannot be read, and the reason.
struct DamagedRun {
  std::filesystem::path folder;
  std::string where;
  std::string message;
};

struct RunList {
  std::vector<RunSummary> runs;
  std::vector<DamagedRun> damaged;
};

/// The runs in these folders; each is a run's folder or contains such folders. Duplicates count once.
/// @throws IoError if a folder does not exist or has no run
[[nodiscard]] RunList read_runs(const std::vector<std::filesystem::path>& folders);

/// Runs that can be compared: all of pretrain, or all of one task, metric and training data.
struct RunGroup {
  std::string name;  ///< "pretrain", "classify, reviews.tsv"
  std::vector<RunSummary> runs;
};
/// Groups in the order of their first runs, `pretrain` first.
[[nodiscard]] std::vector<RunGroup> group_by_kind(const std::vector<RunSummary>& runs);

/// Runs that differ only in their seed.
struct Arm {
  std::string name;          ///< its runs' `arm`
  std::vector<size_t> runs;  ///< indices in the list, ordered by seed
};
/// Groups the runs into arms, in the order of their first runs.
[[nodiscard]] std::vector<Arm> group_by_arm(const std::vector<RunSummary>& runs);

using RunNumber = std::function<std::optional<double>(const RunSummary&)>;

/// Mean and deviation of a number over the runs of an arm that have it.
struct Spread {
  size_t runs = 0;
  double mean = 0;
  std::optional<double> deviation = {};  ///< standard, with n - 1; none for a single run
};
[[nodiscard]] Spread mean_and_deviation(const std::vector<RunSummary>& runs, const Arm& arm, const RunNumber& number);

/// The settings in which runs differ, each with its values in the runs' order; empty if a run has none. Command and
/// paths do not count.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>> differences(
    const std::vector<RunSummary>& runs);

/// The settings that decide what a group's runs validate on, as far as they differ: of pretrain the masks', of
/// fine-tuning the rows'. If there are any, losses or scores on validation are not comparable.
[[nodiscard]] std::vector<std::string> differences_of_validation(const std::vector<RunSummary>& runs);

}  // namespace summand::api
