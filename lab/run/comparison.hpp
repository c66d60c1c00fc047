#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/folder_lock.hpp"
#include "lab/results/comparison.hpp"
#include "lab/run/finished_run.hpp"
#include "lab/run/laboratory.hpp"

namespace summand::lab {

/// What is compared, and how each is run.
struct CompareOptions {
  std::vector<std::string> models;  ///< directories or names, two or more
  std::vector<std::string> names;   ///< titles of their reports, the first ones' first; else their folders' names
  std::optional<std::filesystem::path> corpus;  ///< for all; absent: the one that the first gets without --corpus
  LaboratoryOptions laboratory;                 ///< its folder holds theirs
};

/// What was compared, and the folders of it.
struct FinishedComparison {
  std::vector<ComparedRun> runs;
  std::vector<io::FolderLock> locks;  ///< nobody else writes there before the comparison's own files are written
};

/// Runs the laboratory on each, in folders 1-NAME, 2-NAME, … Every checkpoint is loaded once before the first
/// experiment runs, so that none fails hours later; what identical ones found is found once.
/// @param progress  its experiment is "2-NAME: spectrum"
/// @throws UsageError with less than two models, with more names than models, or a folder that holds anything but an
/// earlier comparison of them;
///   IoError if another run writes to one of the folders; what load_subject() throws
[[nodiscard]] FinishedComparison run_comparison(const CompareOptions& options,
                                                const std::function<void(const LaboratoryProgress&)>& progress);

}  // namespace summand::lab
