#pragma once

#include <filesystem>
#include <string>

#include "train/run/run.hpp"
#include "train/study/study_plan.hpp"

namespace summand::train {

/// Name of the file that a finished run leaves in its folder: its row of the study.
inline constexpr const char* kRowFile = "row.json";
/// Folder of a study with its runs.
inline constexpr const char* kRunsFolder = "runs";

/// Trains one run of a plan in STUDY/runs/TASK/ARM/SEED, or goes on with it, and writes its row. A run that diverges
/// leaves a row that says so.
/// @param study  the study's folder
[[nodiscard]] RunReport run_one(const StudyPlan& plan, const PlannedRun& run, const std::filesystem::path& study,
                                int threads, const TellRun& tell);

[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& study, const PlannedRun& run);

/// Builds the first model of every arm on every one of its tasks. @throws ConfigError of the first that cannot be built
void check_arms(const StudyPlan& plan);

}  // namespace summand::train
