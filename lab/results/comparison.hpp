#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/core/numbers.hpp"
#include "lab/core/verdict.hpp"
#include "lab/ledger/ledger.hpp"
#include "lab/results/finished_run.hpp"

namespace summand::lab {

/// One of several checkpoints, with its own report.
struct ComparedRun {
  std::string folder;  ///< of its report, in the comparison's: "2-bert-base-uncased"
  FinishedRun run;
  std::optional<size_t> identical_to;  ///< an earlier one of the same configuration and weights
};

/// How a checkpoint's number stands to that of the first checkpoint that has it.
enum class Likeness {
  identical,  ///< bit for bit
  rounding,   ///< to 1e-5 of the largest of both, their null and their control
  different,
  missing,  ///< not measured on this one
};
[[nodiscard]] const LocalizedText& words_of(Likeness likeness);

/// A number that several checkpoints have.
struct ComparedNumber {
  std::string name;
  LocalizedText label;
  std::vector<const Number*> of;   ///< [checkpoints], null where it was not measured
  std::vector<Likeness> likeness;  ///< [checkpoints], to the first that has it
  std::vector<double> relative;    ///< [checkpoints], (it − first) / |first|; NaN where that says nothing

  /// Between two checkpoints that have it.
  [[nodiscard]] bool differs() const;
};

/// What a document concludes: whether it is true on a checkpoint, and the claim that tells, null where none does.
struct Conclusion {
  Truth truth = Truth::open;
  const Claim* told_by = nullptr;
  LocalizedText extent = {};  ///< how far it is true: "up to layer 4 of 6"; empty where it is so without limit
};

/// A claim, and what every checkpoint says of it.
struct ComparedClaim {
  const Claim* claim = nullptr;
  const Experiment* experiment = nullptr;
  std::vector<Verdict> verdicts;                       ///< [checkpoints]
  std::vector<std::optional<Conclusion>> conclusions;  ///< [checkpoints], none where the document concludes nothing
  std::vector<ComparedNumber> numbers;

  /// On how many checkpoints it was measured.
  [[nodiscard]] size_t measured() const;
  /// One of the three, observation, inference, conclusion, between two checkpoints on which it was measured.
  [[nodiscard]] bool verdicts_differ() const;
};

/// How many claims there are on two checkpoints or more: those that can differ.
[[nodiscard]] size_t comparable(std::span<const ComparedClaim> claims);

/// "true", "false", "open"; "-" where the document concludes nothing.
[[nodiscard]] const LocalizedText& words_of_conclusion(const std::optional<Conclusion>& conclusion);

/// The claims of the ledger that were run, in its order. @param runs  outlive the result
[[nodiscard]] std::vector<ComparedClaim> compared_claims(std::span<const ComparedRun> runs);

}  // namespace summand::lab
