#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/study/study_plan.hpp"
#include "train/study/study_rows.hpp"

namespace summand::train {

/// All runs of a plan in a folder: each in a process of its own, some at a time.
class Study {
 public:
  /// Creates the folder with a copy of the plan.
  /// @param plan  outlives this object
  /// @throws UsageError if the folder is of another plan
  Study(const StudyPlan& plan, std::filesystem::path folder);

  /// @throws UsageError if a run began in the folder
  void require_new() const;
  [[nodiscard]] size_t finished() const;
  /// A command for each run that is not finished.
  [[nodiscard]] std::vector<std::string> commands() const;
  /// Runs what is not finished. A run that fails fails alone. @return the exit status
  [[nodiscard]] int run(int jobs) const;
  /// Writes rows.csv from the runs, or reads it where there are none, and writes the report. @return the exit status
  /// @throws UsageError if no run is finished
  [[nodiscard]] int report() const;

 private:
  [[nodiscard]] std::vector<PlannedRun> left() const;
  [[nodiscard]] std::vector<StudyRow> rows() const;
  [[nodiscard]] std::vector<std::string> words_of(const PlannedRun& run) const;

  const StudyPlan& plan_;
  std::filesystem::path folder_;
};

}  // namespace summand::train
