#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/run/first_values.hpp"
#include "train/run/learning_options.hpp"
#include "train/tasks/task.hpp"

namespace summand::train {

/// A model of the study.
struct Arm {
  std::string name;
  std::string config;  ///< a JSON merge patch (RFC 7386) of the plan's model
  FirstValues start = FirstValues::drawn;
  std::optional<size_t> masked = {};     ///< in training, if not as many as the task masks
  std::optional<size_t> predicted = {};  ///< of these, in training; if not all
  double misread = 0;  ///< probability that a symbol that is seen reaches the model as another one: a damage
  std::optional<double> learning_rate = {};  ///< of its own
};

/// A task as the plan names it.
struct PlannedTask {
  std::string name;
  std::string task;                       ///< one of task_names()
  TaskSizes sizes = {};                   ///< length and masked are the plan's to choose
  bool separator = false;                 ///< whether [SEP] stands between the segments
  std::vector<int64_t> also_masked = {};  ///< how many symbols further evaluations of a finished run mask
};

/// Arms that are trained on a task, each with the same seeds.
struct Cell {
  std::string block;
  std::string task;
  std::vector<std::string> arms;
  uint64_t first_seed = 1;
  uint64_t seeds = 1;
  std::vector<int64_t> keep = {};  ///< steps whose checkpoints stay
};

/// What is compared of two arms.
enum class Measure {
  excess,          ///< as a share of the gap
  distance_share,  ///< position_readout.hpp, after the last step
  circle_share,    ///< likewise
};
[[nodiscard]] std::span<const model::EnumName<Measure>> enum_names(Measure);

inline constexpr std::string_view kPrimary = "primary", kAssay = "assay";  // families with a meaning of their own

/// The difference between two arms, over the seeds that both have.
struct Contrast {
  std::string family;  ///< contrasts whose number the verdicts are adjusted for
  std::string task, arm, against;
  std::string against_task;  ///< mostly the same task
  std::string stratum = {};  ///< of the answers that depend most on this alone; empty: all
  Measure measure = Measure::excess;
  double margin = 0;

  /// "combined: sum − gate"
  [[nodiscard]] std::string name() const;
  /// Whether it compares losses, and not what a measure says of position tables.
  [[nodiscard]] bool is_of_losses() const { return measure == Measure::excess; }
};

/// A study: docs/study-plans.md, "A plan".
struct StudyPlan {
  std::string name;
  std::string question = "Does adding hurt?";
  std::string model;  ///< config.json of every arm, without vocabulary and positions
  LearningOptions learning;
  size_t batch_sequences = 32;
  size_t evaluation_sequences = 512;
  int64_t evaluate_every = 100;  ///< steps
  double margin = 0;             ///< δ of contrasts that name none: a share of the gap
  double level = 0.05;           ///< α
  std::vector<Arm> arms;
  std::vector<PlannedTask> tasks;
  std::vector<Cell> cells;
  std::vector<Contrast> contrasts;
  std::string text;  ///< of the file, or its quick form
  std::string hash;  ///< of the text

  [[nodiscard]] const Arm& arm(std::string_view name) const;
  [[nodiscard]] const PlannedTask& task(std::string_view name) const;
  [[nodiscard]] bool has_primary() const;  ///< a comparison of the family that answers the question
};

/// A run of a plan.
struct PlannedRun {
  std::string task, arm;
  uint64_t seed = 0;
  std::vector<int64_t> keep = {};  ///< steps whose checkpoints stay

  /// "TASK/ARM/SEED"
  [[nodiscard]] std::string name() const;
};

/// Every run once, block by block and seed by seed, so that the arms of a seed finish together.
[[nodiscard]] std::vector<PlannedRun> runs_of(const StudyPlan& plan);

/// @param quick  as if the plan had the key "quick": a study of some minutes, of the cells whose contrasts are primary
/// or
///   an assay, with three seeds and half the steps
/// @throws IoError, ConfigError naming the key: a file that is no plan, an unknown key, arm or task, a contrast whose
///   arms do not share seeds, a cell without seeds, a missing margin
[[nodiscard]] StudyPlan read_plan(const std::filesystem::path& path, bool quick = false);

}  // namespace summand::train
