#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/folder_lock.hpp"
#include "lab/core/experiment.hpp"
#include "lab/own_experiment/own_experiment.hpp"
#include "lab/report/report.hpp"
#include "lab/run/progress_of_run.hpp"
#include "lab/subject/subject.hpp"
#include "text/input_record.hpp"

namespace summand::lab {

/// What a run does.
struct LaboratoryOptions {
  std::filesystem::path folder;   ///< where the report goes
  std::vector<std::string> only;  ///< names of experiments to run, or ids of claims that they judge; none: all
  /// From files; outlive the reports. With them, and without `only`, no other is run.
  std::span<const own::OwnExperiment> own = {};
  text::InputFields corpus_fields = {};  ///< of the corpus' file, where they have other names than text and text_pair
  uint64_t seed = 0;
  bool quick = false;
  int threads = 0;
  /// Told what an experiment found, as soon as it has ended; from any thread, one at a time.
  std::function<void(const ExperimentResult&)> on_result = [](const ExperimentResult&) {};
};

/// A folder that reports of one checkpoint go into: made, or continued.
/// @return the folder is this run's until it goes
/// @throws IoError if it cannot be made, or another run writes to it; UsageError if it holds anything but earlier runs
///   on the same subject
[[nodiscard]] io::FolderLock open_folder(const std::filesystem::path& folder, const Subject& subject);

/// The experiments of these names, and those that judge the claims of these ids, in the report's order.
/// @throws UsageError naming a word that is neither, with the nearest name and the ids that there are
[[nodiscard]] std::vector<const Experiment*> chosen(const std::vector<std::string>& only);

/// @throws UsageError if two have one name, or one that of an experiment of the program
[[nodiscard]] std::vector<own::OwnExperiment> read_own_experiments(const std::vector<std::string>& files);

/// Runs an experiment. What it cannot be computed on, and did not see coming, is a gap in each of its claims: the other
/// experiments go on, and no row is missing.
[[nodiscard]] Findings findings_of(const Experiment& experiment, const Subject& subject, const Conditions& conditions);

/// Judges what was measured: a verdict for every claim of the experiment, "not measured" where there is a gap.
/// @throws std::out_of_range if a claim has neither numbers nor a gap: our own mistake
[[nodiscard]] std::map<std::string, Verdict> verdicts_of(const Experiment& experiment, const Findings& findings);

/// Runs the experiments, two at a time where there are two threads, but for those that run alone. What an earlier run
/// in the folder finished, on the same subject, corpus, seed and program, is taken from there, of experiments that are
/// not to be run too; what this one finishes stays there even if it does not come to its end.
[[nodiscard]] std::vector<ExperimentResult> run_laboratory(
    const Subject& subject, const LaboratoryOptions& options,
    const std::function<void(const LaboratoryProgress&)>& progress);

}  // namespace summand::lab
