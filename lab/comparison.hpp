#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/folder_lock.hpp"
#include "lab/finished_run.hpp"
#include "lab/laboratory.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/numbers.hpp"
#include "lab/verdict.hpp"

namespace summand::lab {

/// One of several checkpoints, with its own report.
struct ComparedRun {
  std::string folder;  ///< of its report, in the comparison's: "2-bert-base-uncased"
  FinishedRun run;
  std::optional<size_t> identical_to;  ///< an earlier one of the same configuration and weights
};

/// What is compared, and how each is run.
struct CompareOptions {
  std::vector<std::string> models;  ///< directories or names, two or more
  std::optional<std::filesystem::path> corpus;
  LaboratoryOptions laboratory;  ///< its folder holds theirs
};

/// What was compared, and the folders of it.
struct FinishedComparison {
  std::vector<ComparedRun> runs;
  std::vector<io::FolderLock> locks;  ///< nobody else writes there before the comparison's own files are written
};

/// Runs the laboratory on each, in folders 1-NAME, 2-NAME, … Every checkpoint is loaded once before the first
/// experiment runs, so that none fails hours later; what identical ones found is found once.
/// @param progress  its experiment is "2-NAME: spectrum"
/// @throws UsageError with less than two models, or a folder that holds anything but an earlier comparison of them;
///   IoError if another run writes to one of the folders; what load_subject() throws
[[nodiscard]] FinishedComparison run_comparison(const CompareOptions& options,
                                                const std::function<void(const LaboratoryProgress&)>& progress);

/// How a number of another checkpoint stands to the first one's.
enum class Likeness {
  identical,  ///< bit for bit
  rounding,   ///< to 1e-5 of the largest of both, their null and their control
  different,
  missing,  ///< on one of the two
};
[[nodiscard]] const Words& words_of(Likeness likeness);

/// A number that several checkpoints have.
struct ComparedNumber {
  std::string name;
  Words label;
  std::vector<const Number*> of;   ///< [checkpoints], null where it was not measured
  std::vector<Likeness> likeness;  ///< [checkpoints], to the first
  std::vector<double> relative;    ///< [checkpoints], (it − first) / |first|; NaN where that says nothing

  [[nodiscard]] bool differs() const;
};

/// A claim, and what every checkpoint says of it.
struct ComparedClaim {
  const Claim* claim = nullptr;
  const Experiment* experiment = nullptr;
  std::vector<Verdict> verdicts;  ///< [checkpoints]
  std::vector<ComparedNumber> numbers;

  [[nodiscard]] bool verdicts_differ() const;
};

/// The claims of the ledger that were run, in its order. @param runs  outlive the result
[[nodiscard]] std::vector<ComparedClaim> compared_claims(std::span<const ComparedRun> runs);

/// A line per claim: its verdict on every checkpoint, differing ones marked; behind it how many differ.
[[nodiscard]] std::string comparison_text(std::span<const ComparedRun> runs, Language language);

}  // namespace summand::lab
