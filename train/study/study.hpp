#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/study/study_plan.hpp"

namespace summand::train {

/// All runs of a plan in a folder: each in a process of its own, some at a time.
class Study {
 public:
  /// @param plan_file  as a command names it
  /// @throws UsageError if the folder is of another plan
  Study(const StudyPlan& plan, std::filesystem::path plan_file, std::filesystem::path folder);

  /// A command for each run that is not finished.
  [[nodiscard]] std::vector<std::string> commands() const;
  /// Runs what is not finished. A run that fails fails alone. @return the exit status
  [[nodiscard]] int run(int jobs) const;

 private:
  [[nodiscard]] std::vector<PlannedRun> left() const;
  [[nodiscard]] std::vector<std::string> words_of(const PlannedRun& run) const;

  const StudyPlan& plan_;
  std::filesystem::path plan_file_, folder_;
};

}  // namespace summand::train
